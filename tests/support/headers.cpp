// The precompiled headers of the test programs belong to this file (tests/CMakeLists.txt).
