# Defines vrp_torch: LibTorch as imported targets of our own. find_package(Torch) is not used, because it
# loads the legacy FindCUDA and sets global flags.

set(VRP_TORCH_ROOT "" CACHE PATH "Folder with LibTorch 2.11's lib and include (default: the one fetched by cmake/fetch_libtorch.sh)")

set(_vrp_torch_variant cpu)
if(VRP_WITH_CUDA)
  set(_vrp_torch_variant cuda)
endif()
set(VRP_TORCH_FOLDER "${VRP_TORCH_ROOT}")
if(NOT VRP_TORCH_FOLDER)
  # The folder is not cached, because a changed pin must take effect at the next configuration.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${CMAKE_SOURCE_DIR}/cmake/libtorch_${_vrp_torch_variant}.lock")
  execute_process(
    COMMAND "${CMAKE_SOURCE_DIR}/cmake/fetch_libtorch.sh" ${_vrp_torch_variant}
    OUTPUT_VARIABLE VRP_TORCH_FOLDER OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE _vrp_torch_result)
  if(NOT _vrp_torch_result EQUAL 0)
    message(FATAL_ERROR "LibTorch could not be fetched (see above). To build without it, for the CPU only: cmake --preset lite")
  endif()
endif()
set(_vrp_torch_lib "${VRP_TORCH_FOLDER}/lib")

function(_vrp_import_torch_library name)
  set(file "lib${name}.so")
  if(ARGC GREATER 1)
    set(file "${file}.${ARGV1}")
  endif()
  set(path "${_vrp_torch_lib}/${file}")
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "${path} is missing: VRP_TORCH_ROOT must be the folder of a LibTorch 2.11 (${_vrp_torch_variant})")
  endif()
  add_library(vrp_torch_${name} SHARED IMPORTED)
  set_target_properties(vrp_torch_${name} PROPERTIES
    IMPORTED_LOCATION "${path}"
    IMPORTED_SONAME "${file}")
endfunction()

_vrp_import_torch_library(c10)
_vrp_import_torch_library(torch_cpu)

add_library(vrp_torch INTERFACE)
target_include_directories(vrp_torch SYSTEM INTERFACE
  "${VRP_TORCH_FOLDER}/include"
  "${VRP_TORCH_FOLDER}/include/torch/csrc/api/include")
# PyTorch's Linux wheels have used the new C++11 ABI since 2.6.
target_compile_definitions(vrp_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(vrp_torch INTERFACE vrp_torch_torch_cpu vrp_torch_c10)
# libtorch_cpu loads its dependencies (libcudart, libcupti, libgomp) from its own folder.
target_link_options(vrp_torch INTERFACE "LINKER:-rpath-link,${_vrp_torch_lib}")

if(VRP_WITH_CUDA)
  _vrp_import_torch_library(c10_cuda)
  _vrp_import_torch_library(torch_cuda)
  _vrp_import_torch_library(cudart 13)  # c10/cuda's headers call it
  # libtorch_cuda registers its kernels when it is loaded. Hardly any of our code uses its symbols, so these
  # flags keep the linker from dropping the library.
  target_link_libraries(vrp_torch INTERFACE vrp_torch_c10_cuda vrp_torch_cudart)
  target_link_options(vrp_torch INTERFACE
    "LINKER:--push-state,--no-as-needed" "${_vrp_torch_lib}/libtorch_cuda.so" "LINKER:--pop-state")
endif()

# Installed programs find these libraries in ../lib (see vrp_add_executable). The profiler's helpers are
# not needed at run time.
install(DIRECTORY "${_vrp_torch_lib}/" DESTINATION lib
  FILES_MATCHING PATTERN "*.so*"
  PATTERN "libnvperf*" EXCLUDE PATTERN "libcheckpoint*" EXCLUDE PATTERN "libpcsampling*" EXCLUDE
  PATTERN "nvshmem_*" EXCLUDE PATTERN "libcudart.so" EXCLUDE)
