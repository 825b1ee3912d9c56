# SPDX-License-Identifier: Apache-2.0
# cmake/companions.cmake -- hilo's libraries that are opened when they are needed (src/hilo/base/companion.h). They
# export the same kinds of symbols as libhilo.so, because tests link them. They call the functions that libhilo.so
# wraps, so their objects aren't destroyed at the end of the process either.
#   libhilo_codegen.so  the code generator for the CPU, with LLVM
#   libhilo_aarch64.so  LLVM's code generator for AArch64, for objects
#   libhilo_inspect.so  pictures, dumps, profiles
#   libhilo_rpc.so      servers and their clients; gRPC is in libhilo_grpc.so
#   libhilo_mpi.so      communication of processes by MPI
set(HILO_COMPANION_DIR ${CMAKE_INSTALL_LIBDIR} CACHE STRING "installed companions: the folder of the library, or hilo-0.1 in it")
set(HILO_COMPANION_RPATH "$ORIGIN")
if(NOT HILO_COMPANION_DIR STREQUAL CMAKE_INSTALL_LIBDIR)
  list(APPEND HILO_COMPANION_RPATH "$ORIGIN/..")
endif()
function(hilo_companion name folders)
  set(sources ${HILO_COMPANION_SOURCES})
  list(FILTER sources INCLUDE REGEX "/src/hilo/${folders}/")
  list(FILTER sources EXCLUDE REGEX "/src/hilo/rpc/grpc/")
  add_library(hilo_${name} SHARED ${sources})
  set_target_properties(hilo_${name} PROPERTIES INSTALL_RPATH "${HILO_COMPANION_RPATH}" LINK_DEPENDS ${HILO_MAP})
  target_compile_options(hilo_${name} PRIVATE ${HILO_CODE_OPTIONS} ${ARGN})
  target_precompile_headers(hilo_${name} PRIVATE ${HILO_PRECOMPILED})
  target_link_libraries(hilo_${name} PUBLIC hilo PRIVATE fmt::fmt)
  target_link_options(hilo_${name} PRIVATE ${HILO_LINK_OPTIONS} ${HILO_WRAP_OPTIONS})
  hilo_unity(hilo_${name} ${PROJECT_SOURCE_DIR}/src)
endfunction()
set(once_a_program $<$<NOT:$<BOOL:${HILO_SANITIZE}>>:-O1>)
hilo_companion(codegen "backend/cpu/(codegen|emit|object)")
hilo_companion(inspect inspect ${once_a_program})
hilo_companion(rpc rpc ${once_a_program})
hilo_companion(mpi replica/mpi ${once_a_program})
set(HILO_COMPANIONS hilo_codegen hilo_inspect hilo_rpc hilo_mpi)

# LLVM's code generators; static archives add only the used parts. On AArch64 libhilo_codegen.so has the one for AArch64.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  llvm_map_components_to_libnames(HILO_LLVM_LIBS core aarch64codegen)
else()
  llvm_map_components_to_libnames(HILO_LLVM_LIBS core x86codegen)
  # The second copy of LLVM and of what calls it is hidden.
  hilo_companion(aarch64 backend/cpu/aarch64 -fvisibility=hidden -fvisibility-inlines-hidden)
  target_sources(hilo_aarch64 PRIVATE ${PROJECT_SOURCE_DIR}/src/hilo/backend/cpu/emit/machine_code.cc)
  llvm_map_components_to_libnames(HILO_AARCH64_LIBS core asmparser aarch64codegen)
  target_include_directories(hilo_aarch64 SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(hilo_aarch64 PRIVATE ${HILO_AARCH64_LIBS})
  list(APPEND HILO_COMPANIONS hilo_aarch64)
endif()
target_include_directories(hilo_codegen SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(hilo_codegen PRIVATE ${HILO_LLVM_LIBS})

# The target that programs link: the library can't compile without the code generator.
add_library(hilo_whole INTERFACE)
target_link_libraries(hilo_whole INTERFACE hilo)
add_dependencies(hilo_whole hilo_codegen)
add_library(hilo::hilo ALIAS hilo_whole)

# The target of programs in C: the library without requirements on C++.
add_library(hilo_c INTERFACE)
target_link_libraries(hilo_c INTERFACE $<TARGET_FILE:hilo>)
target_include_directories(hilo_c INTERFACE ${PROJECT_SOURCE_DIR}/src)
add_dependencies(hilo_c hilo hilo_codegen)
add_library(hilo::c ALIAS hilo_c)
