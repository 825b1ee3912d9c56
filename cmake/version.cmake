# SPDX-License-Identifier: Apache-2.0
# cmake/version.cmake -- hilo/version.h from project(VERSION), and the commit, which is queried at every build.
set(HILO_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${HILO_GENERATED_DIR}/hilo/version.h @ONLY)

# The commit is in a separate small source file, so that a new commit recompiles only that file.
set(HILO_VERSION_SOURCE ${HILO_GENERATED_DIR}/version.cc)
add_custom_target(hilo_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${HILO_VERSION_SOURCE}
          -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake
  BYPRODUCTS ${HILO_VERSION_SOURCE}
  COMMENT "commit")
