# Compiler settings of our own code. Our targets link vrp_flags privately. Only the language level is
# global, so that our warnings do not apply to imported and generated code.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(VRP_CCACHE ccache)
if(VRP_CCACHE)
  # Makes paths below the repository relative, so that all clones and work trees share compiled objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" "${VRP_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# The baseline is x86-64-v3 (AVX2, FMA), which common x86 servers of the last ten years have. Code that needs
# more (AVX-512, bf16) is chosen at run time, in functions with their own target attribute.
add_library(vrp_baseline INTERFACE)
target_compile_options(vrp_baseline INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-march=x86-64-v3>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=x86-64-v3>)
if(VRP_PORTABLE)
  # The prefix map keeps the source folder's path out of the programs, so that every folder gives the same bytes.
  target_compile_options(vrp_baseline INTERFACE
    "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=." -ffunction-sections -fdata-sections)
  target_link_options(vrp_baseline INTERFACE -static-libstdc++ -static-libgcc "LINKER:--gc-sections")
endif()
if(VRP_SANITIZE)
  target_compile_options(vrp_baseline INTERFACE "-fsanitize=${VRP_SANITIZE}" -fno-omit-frame-pointer)
  if(VRP_SANITIZE MATCHES "undefined")
    target_compile_options(vrp_baseline INTERFACE -fno-sanitize-recover=undefined)
  endif()
  target_link_options(vrp_baseline INTERFACE "-fsanitize=${VRP_SANITIZE}")
endif()

if(VRP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "VRP_FUZZ needs clang: cmake --preset fuzz")
  endif()
  target_compile_options(vrp_baseline INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(vrp_flags INTERFACE)
target_link_libraries(vrp_flags INTERFACE vrp_baseline)
target_include_directories(vrp_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(vrp_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wvla -Wundef>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror --Werror=all-warnings>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Only clang checks lock annotations (ABSL_GUARDED_BY).
  target_compile_options(vrp_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety>)
else()
  # GCC 12 gives these warnings wrongly inside inlined standard and Abseil code
  # (GCC PR105562, PR105651, PR108165).
  target_compile_options(vrp_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized -Wno-restrict -Wno-dangling-pointer>)
  if(VRP_SANITIZE)
    # The sanitizers' checks hide the bounds that GCC's array warnings need.
    target_compile_options(vrp_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-nonnull>)
  endif()
endif()
target_compile_definitions(vrp_flags INTERFACE VRP_VERSION="${PROJECT_VERSION}")

# Defines VRP_WITH_CUDA (0 or 1), privately for core/device only, so that builds with and without CUDA
# share all other objects in ccache. Because of -Wundef, a test of VRP_WITH_CUDA elsewhere, or
# of a misspelled name, is an error.
add_library(vrp_cuda_definition INTERFACE)
target_compile_definitions(vrp_cuda_definition INTERFACE VRP_WITH_CUDA=$<BOOL:${VRP_WITH_CUDA}>)

if(VRP_WITH_CUDA)
  # nvcc comes with LibTorch's CUDA libraries, so both have the same version. CMAKE_CUDA_COMPILER selects
  # another one.
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS "${VRP_TORCH_FOLDER}/cuda/bin/nvcc")
    set(CMAKE_CUDA_COMPILER "${VRP_TORCH_FOLDER}/cuda/bin/nvcc")
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    # A100, RTX 30, Ada, Hopper, Blackwell; the last one with PTX for later GPUs.
    set(CMAKE_CUDA_ARCHITECTURES 80-real 86-real 89-real 90-real 100-real 120)
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: LibTorch 2.11 is built with CUDA 13")
  endif()
  # CMake 3.25 does not know that nvcc supports C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # Uses LibTorch's copy instead of linking a second one.
  # c10/cuda and ATen/cuda headers include the toolkit's.
  target_include_directories(vrp_torch SYSTEM INTERFACE "${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}")
endif()
