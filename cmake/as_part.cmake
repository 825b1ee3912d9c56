# SPDX-License-Identifier: Apache-2.0
# cmake/as_part.cmake -- for a build inside another project. That project's settings for its own targets don't apply to
# hilo's: these are variables of hilo's folder, which the other project doesn't see.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET default)  # cmake/hilo.map.in lists the exported symbols
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_UNITY_BUILD OFF)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)
set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
foreach(tool CLANG_TIDY CPPCHECK CPPLINT INCLUDE_WHAT_YOU_USE)
  set(CMAKE_CXX_${tool} "")
endforeach()
# -w: the other project's warnings are for its own code. hilo computes with NaN and infinity.
add_compile_options(-w -fno-fast-math)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  message(STATUS "hilo: CMAKE_BUILD_TYPE is empty, so hilo is compiled without optimization. Hint: -DCMAKE_BUILD_TYPE=Release")
endif()
