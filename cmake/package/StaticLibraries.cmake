# vrp_link_statically() replaces Debian's shared libraries by the static archives of the same -dev packages in all
# imported targets of the calling folder. Used with VRP_PORTABLE, after every find_package.

# Sets `variable` to the archive beside a shared library: libz.a for libz.so.1.2.13.
function(_vrp_archive_of library variable)
  cmake_path(GET library PARENT_PATH folder)
  cmake_path(GET library FILENAME file)
  string(REGEX REPLACE "\\.so.*$" ".a" file "${file}")
  set(${variable} "${folder}/${file}" PARENT_SCOPE)
endfunction()

# Replaces a shared library in a property of `target` by its archive, if there is one. Debian has no archive of
# some libraries that gRPC's exported targets name but our programs never link.
function(_vrp_use_archive target property)
  get_target_property(library ${target} ${property})
  if(NOT library MATCHES "\\.so")
    return()
  endif()
  _vrp_archive_of("${library}" archive)
  if(EXISTS "${archive}")
    set_target_properties(${target} PROPERTIES ${property} "${archive}")
  endif()
endfunction()

function(vrp_link_statically)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(SHARED|UNKNOWN)_LIBRARY$")
      foreach(property IN ITEMS IMPORTED_LOCATION IMPORTED_LOCATION_NONE IMPORTED_LOCATION_RELEASE)
        _vrp_use_archive(${target} ${property})
      endforeach()
    endif()
  endforeach()
  # gRPC's module finds RE2 by pkg-config, as the flag -lre2, which would prefer the shared library.
  find_library(VRP_RE2_ARCHIVE libre2.a REQUIRED)
  set_target_properties(re2::re2 PROPERTIES INTERFACE_LINK_LIBRARIES "${VRP_RE2_ARCHIVE};Threads::Threads")
endfunction()
