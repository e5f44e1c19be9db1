# Defines the functions that the folders' CMakeLists.txt use.
#
#   vrp_add_library(vrp_base SOURCES a.cc b.cc DEPS absl::status PRIVATE_DEPS ... [TORCH] [COLD]
#     [UNITY 16])
#   vrp_link_either(vrp_device TORCH vrp_device_torch NO_TORCH vrp_device_cpu_only)
#   vrp_add_executable(vrpd SOURCES main.cc DEPS vrp::service [TORCH])
#   vrp_add_test(base_ids_test SOURCES ids_test.cc DEPS vrp::base [TORCH] [LABELS slow gpu] [TIMEOUT 60]
#     [COLD] [UNITY 16])
#   vrp_add_script_test(include_order COMMAND ${Python3_EXECUTABLE} x.py [LABELS e2e] [TIMEOUT 60])
#   vrp_add_benchmark(bench_search SOURCES search_bench.cc DEPS vrp::search [TORCH])
#   vrp_add_fuzzer(fuzz_vrplib SOURCES vrplib_fuzz.cc DEPS vrp::problem [CORPUS tests/data/vrplib])
#
# Headers are included from the root of the repository: #include "core/base/ids.h". SOURCES list no headers.

include_guard()

# Sets the properties that libraries, programs, tests and benchmarks share.
function(_vrp_set_up target torch)
  if(torch)
    if(NOT VRP_WITH_TORCH)
      message(FATAL_ERROR "${target} asks for TORCH, but VRP_WITH_TORCH is OFF: guard it with if(VRP_WITH_TORCH)")
    endif()
    target_link_libraries(${target} PRIVATE vrp_torch)
  endif()
  target_link_libraries(${target} PRIVATE vrp_flags)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE" AND VRP_SANITIZE MATCHES "thread")
    target_link_libraries(${target} PRIVATE vrp_tsan_abseil)
  endif()
endfunction()

# Routes our calls of Abseil's locks through cmake/tsan_abseil.cc, which explains why.
if(VRP_SANITIZE MATCHES "thread")
  add_library(vrp_tsan_abseil_objects OBJECT "${CMAKE_SOURCE_DIR}/cmake/tsan_abseil.cc")
  target_link_libraries(vrp_tsan_abseil_objects PRIVATE absl::synchronization)
  add_library(vrp_tsan_abseil INTERFACE)
  target_link_libraries(vrp_tsan_abseil INTERFACE
    vrp_tsan_abseil_objects $<TARGET_OBJECTS:vrp_tsan_abseil_objects> absl::synchronization)
  file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/tsan_abseil.cc" wrapped REGEX "_ZNK?4absl")
  foreach(line IN LISTS wrapped)
    string(REGEX MATCH "_ZNK?4absl[A-Za-z0-9_]+" symbol "${line}")
    target_link_options(vrp_tsan_abseil INTERFACE "LINKER:--wrap=${symbol}")
  endforeach()
endif()

# Compiles code that computes little with less optimisation: -O1 takes two thirds of the compile time, -O0
# half.
# Must not be used for code whose numbers are compared bit by bit: inline functions would exist twice and
# round differently.
function(_vrp_optimise_less target level)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${level}>)
endfunction()

# Lets CMake compile the sources of `target` together, `batch_size` at a time. If headers dominate (gRPC's
# take eight seconds), the build is two and a half times as fast. No two sources of a target may then
# define the same name in an anonymous namespace (tests/repo/unity_names_test.py).
# clang-tidy needs one file at a time: -DVRP_UNITY=OFF.
function(_vrp_unity target batch_size)
  if(VRP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch_size})
  endif()
endfunction()

# Sets `variable` to whether `target` must be left out because a library of ours that it needs does not
# exist. Folders are processed in dependency order, so libraries of earlier folders exist by now.
function(_vrp_is_incomplete variable target)
  set(missing "")
  foreach(dep IN LISTS ARGN)
    if(dep MATCHES "^vrp::" AND NOT TARGET ${dep})
      list(APPEND missing ${dep})
    endif()
  endforeach()
  set(${variable} FALSE PARENT_SCOPE)
  if(missing AND VRP_PARTIAL)
    message(STATUS "left out: ${target} (needs ${missing})")
    set(${variable} TRUE PARENT_SCOPE)
  elseif(missing)
    message(FATAL_ERROR "${target} needs ${missing}, which no folder before it defines. "
                        "To skip such targets in an incomplete tree: -DVRP_PARTIAL=ON")
  endif()
endfunction()

# Removes .cu files from the list `variable` in builds without CUDA. core/kernels/no_cuda.cc and
# `#if VRP_WITH_CUDA` in core/device replace them.
function(_vrp_drop_cuda_sources variable)
  set(sources ${${variable}})
  if(NOT VRP_WITH_CUDA)
    list(FILTER sources EXCLUDE REGEX "\\.cu$")
  endif()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# Adds a static library `vrp_x` with the alias vrp::x. Its users see DEPS. Only its own sources see
# PRIVATE_DEPS and, with TORCH, torch's headers. COLD: see _vrp_optimise_less, UNITY: see _vrp_unity.
# A library without SOURCES consists of headers, and its users also see PRIVATE_DEPS.
function(vrp_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;COLD" "UNITY" "SOURCES;DEPS;PRIVATE_DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vrp_add_library(${name}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _vrp_is_incomplete(incomplete ${name} ${arg_DEPS} ${arg_PRIVATE_DEPS})
  if(incomplete)
    return()
  endif()
  string(REGEX REPLACE "^vrp_" "" alias "${name}")
  _vrp_drop_cuda_sources(arg_SOURCES)
  if(NOT arg_SOURCES)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${CMAKE_SOURCE_DIR}")
    target_link_libraries(${name} INTERFACE ${arg_DEPS} ${arg_PRIVATE_DEPS})
  else()
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
    _vrp_set_up(${name} "${arg_TORCH}")
    if(arg_COLD)
      _vrp_optimise_less(${name} -O1)
    endif()
    if(arg_UNITY)
      _vrp_unity(${name} ${arg_UNITY})
    endif()
  endif()
  add_library(vrp::${alias} ALIAS ${name})
endfunction()

# Links one of two libraries to the users of `name`: TORCH if the build has LibTorch (and, for tests, if
# they ask for it), else NO_TORCH. Loading LibTorch takes 0.4 s of CPU time, which most tests can save.
function(vrp_link_either name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TORCH;NO_TORCH" "")
  if(VRP_WITH_TORCH)
    target_link_libraries(${name} INTERFACE
      "$<IF:$<BOOL:$<TARGET_PROPERTY:VRP_LINKS_NO_TORCH>>,${arg_NO_TORCH},${arg_TORCH}>")
  else()
    target_link_libraries(${name} INTERFACE ${arg_NO_TORCH})
  endif()
endfunction()

# Adds the objects that vrpd and vrpctl run first. They do not use vrp_flags, because they must also run on
# a CPU below the baseline.
add_library(vrp_program_start OBJECT "${CMAKE_SOURCE_DIR}/core/base/require_baseline.cc")
if(VRP_PORTABLE)
  target_sources(vrp_program_start PRIVATE "${CMAKE_SOURCE_DIR}/cmake/package/glibc_compat.cc")
endif()
target_compile_options(vrp_program_start PRIVATE -Wall -Wextra -Werror)

# Adds a program in ${CMAKE_BINARY_DIR}/bin, with a link to it in the repository's bin/. Packages get it unless it is
# NOT_PACKAGED.
function(vrp_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;NOT_PACKAGED" "" "SOURCES;DEPS")
  _vrp_is_incomplete(incomplete ${name} ${arg_DEPS})
  if(incomplete)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES} $<TARGET_OBJECTS:vrp_program_start>)
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  _vrp_set_up(${name} "${arg_TORCH}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  if(NOT VRP_PORTABLE)
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  endif()
  if(NOT arg_NOT_PACKAGED)
    install(TARGETS ${name} RUNTIME DESTINATION bin)
  endif()
  if(VRP_LINK_BIN)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_SOURCE_DIR}/bin"
      COMMAND ${CMAKE_COMMAND} -E create_symlink "$<TARGET_FILE:${name}>" "${CMAKE_SOURCE_DIR}/bin/${name}"
      VERBATIM)
  endif()
endfunction()

# The environment of every test. Tests run in the root of the repository. The sanitizers' options are
# defaults for tests only. OMP_NUM_THREADS is 1, because LibTorch's threads spin while they wait. With as
# many tests as cores, several threads took up to twenty times as long as one.
set(VRP_TEST_ENVIRONMENT
  "OMP_NUM_THREADS=1"
  "VRP_SOURCE_DIR=${CMAKE_SOURCE_DIR}"
  "VRP_BINARY_DIR=${CMAKE_BINARY_DIR}"
  "VRP_DATA_DIR=${VRP_DATA_DIR}"
  "VRP_PYTHON=${VRP_PYTHON}")
if(VRP_SANITIZE)
  list(APPEND VRP_TEST_ENVIRONMENT
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan.supp")
endif()

# Adds a GoogleTest program (main comes from gmock). CTest counts and runs each TEST separately as
# <program>.<Suite>.<Test>. Links LibTorch, with its engines and devices, only with TORCH. COLD: see
# _vrp_optimise_less. UNITY: see _vrp_unity; the default is 8.
function(vrp_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;COLD" "TIMEOUT;UNITY" "SOURCES;DEPS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vrp_add_test(${name}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT VRP_BUILD_TESTS)
    return()
  endif()
  _vrp_is_incomplete(incomplete ${name} ${arg_DEPS})
  if(incomplete)
    return()
  endif()
  _vrp_drop_cuda_sources(arg_SOURCES)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gmock_main GTest::gtest)
  _vrp_set_up(${name} "${arg_TORCH}")
  if(arg_COLD)
    _vrp_optimise_less(${name} -O0)
  endif()
  if(NOT arg_UNITY)
    set(arg_UNITY 8)
  endif()
  _vrp_unity(${name} ${arg_UNITY})
  if(NOT arg_TORCH)
    set_target_properties(${name} PROPERTIES VRP_LINKS_NO_TORCH ON)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  if("gpu" IN_LIST arg_LABELS)
    set_property(GLOBAL APPEND PROPERTY VRP_GPU_TESTS ${name})  # tests/gpu/CMakeLists.txt packs them
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  gtest_discover_tests(${name}
    TEST_PREFIX "${name}."
    TEST_LIST ${name}_TESTS
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  # gtest_discover_tests' option PROPERTIES accepts no lists, so the properties are in a file that CTest
  # reads after the discovery.
  set(properties_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake")
  file(CONFIGURE OUTPUT "${properties_file}" @ONLY CONTENT [=[
if(@name@_TESTS)
  set_tests_properties(${@name@_TESTS} PROPERTIES
    TIMEOUT @arg_TIMEOUT@
    LABELS [==[@arg_LABELS@]==]
    ENVIRONMENT [==[@VRP_TEST_ENVIRONMENT@]==])
endif()
]=])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties_file}")
endfunction()

# Adds a test that is a script. Exit code 77 means skipped.
function(vrp_add_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vrp_add_script_test(${name}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT VRP_BUILD_TESTS)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${VRP_TEST_ENVIRONMENT};PYTHONDONTWRITEBYTECODE=1"
    LABELS "${arg_LABELS}"
    SKIP_RETURN_CODE 77
    TIMEOUT ${arg_TIMEOUT})
endfunction()

# Adds a benchmark program in ${CMAKE_BINARY_DIR}/bench. Sources without their own main() link
# benchmark::benchmark_main through DEPS. tests/bench runs them.
function(vrp_add_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;DEPS")
  if(NOT VRP_BUILD_TESTS)
    return()
  endif()
  _vrp_is_incomplete(incomplete ${name} ${arg_DEPS})
  if(incomplete)
    return()
  endif()
  _vrp_drop_cuda_sources(arg_SOURCES)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} benchmark::benchmark)
  _vrp_set_up(${name} "${arg_TORCH}")
  _vrp_unity(${name} 8)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bench")
endfunction()

# Adds a libFuzzer program (LLVMFuzzerTestOneInput), only with VRP_FUZZ. CTest runs it over CORPUS, a
# folder of seeds relative to the root of the repository; tests/fuzz explains how to search further.
function(vrp_add_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;DEPS")
  if(NOT VRP_FUZZ)
    return()
  endif()
  _vrp_is_incomplete(incomplete ${name} ${arg_DEPS})
  if(incomplete)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  _vrp_set_up(${name} FALSE)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
  vrp_add_script_test(${name}
    COMMAND $<TARGET_FILE:${name}> -runs=0 "-artifact_prefix=${CMAKE_BINARY_DIR}/fuzz/" ${arg_CORPUS}
    LABELS fuzz TIMEOUT 120)
endfunction()
