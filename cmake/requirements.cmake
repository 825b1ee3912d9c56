# SPDX-License-Identifier: Apache-2.0
# cmake/requirements.cmake -- finds the packages of the build. Reports missing or old ones in one sentence, with a hint.
function(hilo_require found sentence)
  if(NOT ${found})
    message(FATAL_ERROR "  hilo needs ${sentence}")  # two spaces: CMake doesn't wrap the line
  endif()
endfunction()

set(compiler_ok FALSE)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16))
  set(compiler_ok TRUE)
endif()
hilo_require(compiler_ok "g++ 12 or clang 16, or later; got ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} at \
${CMAKE_CXX_COMPILER}. Hint: apt-get install g++-12, then a new build folder with -DCMAKE_CXX_COMPILER=g++-12")
set(system_ok FALSE)
if("${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}" MATCHES "^Linux (x86_64|aarch64)$")
  set(system_ok TRUE)
endif()
hilo_require(system_ok "Linux on x86-64 or AArch64; got ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}")
# Files that end with these names use instructions of x86-64 beyond its base.
set(HILO_LEFT_OUT "^$")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(HILO_LEFT_OUT "(avx2|avx512|avxvnni|avx512vnni|avx512bf16|amx)\\.cc$")
endif()

find_package(LLVM 19.1 QUIET CONFIG)
hilo_require(LLVM_FOUND "LLVM 19.1, which CMake doesn't find. Hint: apt-get install llvm-19-dev, or \
-DLLVM_DIR=FOLDER where LLVMConfig.cmake of another place is")
if(LLVM_ENABLE_ZSTD)
  find_package(zstd QUIET)  # for LLVM's archives
  if(TARGET zstd::libzstd_shared OR TARGET zstd::libzstd_static)
    set(zstd_ok TRUE)
  endif()
  hilo_require(zstd_ok "zstd, with which this LLVM is built. Hint: apt-get install libzstd-dev")
endif()
find_package(fmt 9 QUIET)
hilo_require(fmt_FOUND "fmt 9 or later. Hint: apt-get install libfmt-dev")
find_package(Boost 1.81 QUIET CONFIG)  # by Boost's own files: FindBoost is deprecated
hilo_require(Boost_FOUND "Boost 1.81 or later, its headers only. Hint: apt-get install libboost1.81-dev, or libboost1.83-dev \
on Debian 13 and Ubuntu 24.04")
find_package(ZLIB QUIET)
hilo_require(ZLIB_FOUND "zlib. Hint: apt-get install zlib1g-dev")
find_package(PNG QUIET)
hilo_require(PNG_FOUND "libpng. Hint: apt-get install libpng-dev")
find_package(Threads REQUIRED)
