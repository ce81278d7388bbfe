//! Record linkage after Fellegi and Sunter (1969): comparisons, blocking, estimation, pairs, clusters.
