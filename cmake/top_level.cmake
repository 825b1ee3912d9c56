# SPDX-License-Identifier: Apache-2.0
# cmake/top_level.cmake -- build type, flags, linker and launcher for hilo's own build tree.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)  # a new libhilo.so with the same interface needs no relinking

# -Wno-restrict: g++ 12 has false warnings for std::string + at -O2. With a precompiled standard library it also warns
# of array bounds in text + "...", which .append() and fmt::format() avoid. Warnings are errors only with the tested
# compilers for x86-64: g++ 14 has a dozen false warnings, later versions have others, and g++ 12 for AArch64 has one.
if("${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^x86_64 (GNU 12|Clang 19)\\.")
  set(warnings_are_errors -Werror)
endif()
add_compile_options(-Wall -Wextra ${warnings_are_errors} -Werror=switch $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
else()  # std::stable_sort of libstdc++ 12 calls what it deprecates
  add_compile_options(-Wno-deprecated-declarations)
endif()

if(HILO_SANITIZE AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HILO_SANITIZE: got ${CMAKE_CXX_COMPILER_ID}; wanted clang. Hint: CC=clang-19 CXX=clang++-19")
endif()
# Other builds check warnings. g++ defines __SANITIZE_*__, clang 19 doesn't. Under sanitizers compile time dominates:
# clang at -O0 takes a third of the time of g++ at -O1. The address tree is also for libFuzzer, which needs its counters
# in the library. LLVM is built without the RTTI that `vptr` needs, and `function` doesn't know types of other shared
# objects.
if(HILO_SANITIZE STREQUAL "address")
  add_compile_options(-w -O0 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link
    -fno-sanitize=function,vptr -fno-sanitize-recover=all -D__SANITIZE_ADDRESS__)
  add_link_options(-fsanitize=address,undefined)
elseif(HILO_SANITIZE STREQUAL "thread")
  add_compile_options(-w -O0 -g1 -fno-omit-frame-pointer -fsanitize=thread -D__SANITIZE_THREAD__)
  add_link_options(-fsanitize=thread)
elseif(HILO_SANITIZE)
  message(FATAL_ERROR "HILO_SANITIZE: unknown sanitizer; got ${HILO_SANITIZE}; wanted address or thread")
endif()
