# SPDX-License-Identifier: Apache-2.0
# cmake/unity.cmake -- compiles files of a folder together, so that the headers that they share are read once. A build
# of the whole tree takes half the time. With -DHILO_UNITY=OFF each file is compiled alone, which is faster if you edit
# one file at a time. `make lint` compiles each file alone too, so it finds a file that doesn't include what it uses.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(HILO_UNITY_DEFAULT ON)
endif()
option(HILO_UNITY "compile files of a folder together" ${HILO_UNITY_DEFAULT})

# hilo_unity(TARGET ROOT): replaces sources of TARGET by files that include several of them (tools/unity.py). ROOT is a
# folder in which TARGET finds includes. Files with the same options are combined, except those without the precompiled
# header and those with the property SKIP_UNITY_BUILD_INCLUSION. Unlike those of CMake's UNITY_BUILD, the files contain
# no absolute path, so ccache recognizes them in a copy of the tree.
function(hilo_unity target root)
  if(NOT HILO_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(left "")
  set(all_options "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    get_source_file_property(alone ${source} SKIP_PRECOMPILE_HEADERS)
    cmake_path(IS_PREFIX root ${source} is_inside)
    get_source_file_property(single ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(alone OR single OR NOT is_inside OR NOT source MATCHES "\\.cc$")
      list(APPEND left ${source})
      continue()
    endif()
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    string(REPLACE ";" "|" options "${options}")  # one element of a list
    list(FIND all_options "${options}" group)
    if(group EQUAL -1)
      list(LENGTH all_options group)
      list(APPEND all_options "${options}")
    endif()
    list(APPEND files_${group} ${source})
  endforeach()
  set(group -1)
  foreach(options IN LISTS all_options)
    math(EXPR group "${group} + 1")
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/unity.py ${root} ${PROJECT_BINARY_DIR}/unity/${target}/${group}
      ${files_${group}} OUTPUT_VARIABLE written OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" written "${written}")
    if(options)
      string(REPLACE "|" ";" options "${options}")
      set_source_files_properties(${written} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
    list(APPEND left ${written})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${left}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it warns of unnamed namespaces in included files as in headers
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
