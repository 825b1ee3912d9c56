# SPDX-License-Identifier: Apache-2.0
# cmake/portable.cmake -- libraries for the wheel, in portable/ of the build tree: the objects of the build, linked
# again so that they need only glibc 2.28 and no C++ library. packaging/oldest_glibc.cc defines newer functions;
# libstdc++, fmt and zstd are linked statically.
set(HILO_PORTABLE_OPTIONS -static-libstdc++ -Wl,-s -Wl,-z,nopack-relative-relocs)
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

# hilo_portable(TARGET...): defines TARGET_portable for each, which links the earlier ones of the list.
function(hilo_portable)
  foreach(target IN LISTS ARGV)
    set(portable ${target}_portable)
    add_library(${portable} SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}> $<TARGET_OBJECTS:hilo_portable_parts>)
    set_target_properties(${portable} PROPERTIES OUTPUT_NAME ${target} LINKER_LANGUAGE CXX BUILD_RPATH_USE_ORIGIN ON
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable)
    get_target_property(soversion ${target} SOVERSION)
    if(soversion)
      set_target_properties(${portable} PROPERTIES SOVERSION ${soversion})
    endif()
    get_target_property(options ${target} LINK_OPTIONS)
    list(REMOVE_ITEM options -Wl,-z,pack-relative-relocs)
    target_link_options(${portable} PRIVATE ${options} ${HILO_PORTABLE_OPTIONS})
    get_target_property(libraries ${target} LINK_LIBRARIES)
    list(REMOVE_ITEM libraries fmt::fmt)
    list(TRANSFORM libraries REPLACE "^(hilo|hilo::hilo)$" hilo_portable)
    target_link_libraries(${portable} PRIVATE ${HILO_STATIC_ZSTD} ${libraries} ${HILO_PORTABLE_LIBRARIES})
  endforeach()
endfunction()
