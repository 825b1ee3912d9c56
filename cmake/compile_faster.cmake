# SPDX-License-Identifier: Apache-2.0
# cmake/compile_faster.cmake -- ccache and lld for hilo's own targets, if they are there. With the tree as its base
# folder, ccache recognizes files in a copy of the tree. Its manual requires the other settings for precompiled headers.
# ccache passes relative paths to the compiler, which are in std::source_location. Without ccache the compiler turns them
# into the same ones, so that a library doesn't depend on the folder of its sources. -DHILO_CCACHE=OFF: without it.
find_program(HILO_CCACHE ccache)
if(HILO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_SLOPPINESS=pch_defines,time_macros ${HILO_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
elseif(NOT HILO_CCACHE)
  cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE relative)
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=${relative})
endif()

# lld links in a fifth of the time. g++ 12 finds it only by the plain name, which is in LLVM's own folder.
find_program(HILO_LLD ld.lld PATHS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
if(HILO_LLD)
  get_filename_component(HILO_LLD_DIR ${HILO_LLD} DIRECTORY)
  add_link_options(-B${HILO_LLD_DIR} -fuse-ld=lld)
endif()
