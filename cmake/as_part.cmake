# SPDX-License-Identifier: Apache-2.0
# cmake/as_part.cmake -- inside another project. What that project sets for its own targets does not hold for hilo's: these
# are variables of hilo's own folder, which the other project does not see.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET default)  # cmake/hilo.map says what the library shows
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_UNITY_BUILD OFF)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)
set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
foreach(tool CLANG_TIDY CPPCHECK CPPLINT INCLUDE_WHAT_YOU_USE)
  set(CMAKE_CXX_${tool} "")
endforeach()
# -w: the warnings that the other project asks for are for its own code. NaN and infinity are values here.
add_compile_options(-w -fno-fast-math)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  message(STATUS "hilo: CMAKE_BUILD_TYPE is empty, so hilo is compiled without optimization. Hint: -DCMAKE_BUILD_TYPE=Release")
endif()
