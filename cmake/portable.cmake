# SPDX-License-Identifier: Apache-2.0
# cmake/portable.cmake -- libraries for the wheel, in portable/ of the build tree: the objects of the build, linked
# again so that they need only glibc 2.28 and the libstdc++ of GCC 8. packaging/oldest_glibc.cc defines newer functions
# of glibc, tools/old_libstdcxx.py links those of libstdc++ statically; so are fmt and zstd.
set(HILO_OLD_LIBSTDCXX ${PROJECT_BINARY_DIR}/portable/old)
add_custom_command(OUTPUT ${HILO_OLD_LIBSTDCXX}/libstdc++.so
  COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/old_libstdcxx.py ${HILO_OLD_LIBSTDCXX} --compiler ${CMAKE_CXX_COMPILER}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/old_libstdcxx.py VERBATIM)
add_custom_target(hilo_old_libstdcxx DEPENDS ${HILO_OLD_LIBSTDCXX}/libstdc++.so)
set(HILO_PORTABLE_OPTIONS -L${HILO_OLD_LIBSTDCXX} -Wl,-s -Wl,-z,nopack-relative-relocs)
file(READ ${PROJECT_SOURCE_DIR}/packaging/oldest_glibc.cc text)
string(REGEX MATCHALL "__wrap_[a-z0-9_]+" wrapped "${text}")
string(REGEX MATCHALL "HILO_OLD\\([^,]+, [^,]+, [a-z][a-z0-9_]+" old "${text}")
list(TRANSFORM wrapped REPLACE "^__wrap_" "")
list(TRANSFORM old REPLACE ".*, " "")
list(APPEND wrapped ${old})
list(REMOVE_DUPLICATES wrapped)
list(TRANSFORM wrapped PREPEND -Wl,--wrap=)
list(APPEND HILO_PORTABLE_OPTIONS ${wrapped})
# Separate libraries until glibc 2.34.
set(HILO_PORTABLE_LIBRARIES -Wl,--push-state,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0 -l:librt.so.1 -Wl,--pop-state)
add_library(hilo_portable_parts OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/packaging/oldest_glibc.cc ${PROJECT_SOURCE_DIR}/packaging/fmt.cc)
set_target_properties(hilo_portable_parts PROPERTIES POSITION_INDEPENDENT_CODE ON)

# hilo_portable(RPATH TARGET...): defines TARGET_portable for each, which links the earlier ones. RPATH: the folder in
# which the loader looks for them.
function(hilo_portable rpath)
  foreach(target IN LISTS ARGN)
    set(portable ${target}_portable)
    get_target_property(type ${target} TYPE)
    get_target_property(name ${target} OUTPUT_NAME)
    if(NOT name)
      set(name ${target})
    endif()
    set(parts $<TARGET_OBJECTS:${target}> $<TARGET_OBJECTS:hilo_portable_parts>)
    if(type STREQUAL "EXECUTABLE")
      add_executable(${portable} EXCLUDE_FROM_ALL ${parts})
    else()
      add_library(${portable} SHARED EXCLUDE_FROM_ALL ${parts})
    endif()
    set_target_properties(${portable} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX BUILD_RPATH_USE_ORIGIN ON
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH ${rpath} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable LINK_DEPENDS ${HILO_OLD_LIBSTDCXX}/libstdc++.so)
    add_dependencies(${portable} hilo_old_libstdcxx)
    get_target_property(soversion ${target} SOVERSION)
    if(soversion)
      set_target_properties(${portable} PROPERTIES SOVERSION ${soversion})
    endif()
    get_target_property(options ${target} LINK_OPTIONS)
    if(options)
      list(REMOVE_ITEM options -Wl,-z,pack-relative-relocs)
      target_link_options(${portable} PRIVATE ${options})
    endif()
    target_link_options(${portable} PRIVATE ${HILO_PORTABLE_OPTIONS})
    get_target_property(libraries ${target} LINK_LIBRARIES)
    list(REMOVE_ITEM libraries fmt::fmt)
    list(TRANSFORM libraries REPLACE "^(hilo|hilo::hilo)$" hilo_portable)
    list(TRANSFORM libraries REPLACE "^hilo_inspect$" hilo_inspect_portable)
    target_link_libraries(${portable} PRIVATE ${HILO_STATIC_ZSTD} ${libraries} ${HILO_PORTABLE_LIBRARIES})
  endforeach()
endfunction()
