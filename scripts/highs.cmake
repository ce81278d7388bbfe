# HiGHS is built eight source files at a time: most of its build is reading the same headers again.
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
set(BUILD_TESTING OFF CACHE BOOL "")
