//! An intruder with a file of their own: what they claim, and how often they are right.
