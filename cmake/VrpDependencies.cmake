# Finds Debian's packages. `./dev` installs them; cmake/apt_packages lists them.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
if(VRP_PORTABLE)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(absl CONFIG REQUIRED)
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)
# Uses spdlog and fmt as headers only: only server/support/logging.cc includes them, and Debian has no
# static archives of them.
set_target_properties(spdlog::spdlog_header_only PROPERTIES
  INTERFACE_LINK_LIBRARIES "Threads::Threads;fmt::fmt-header-only")
if(VRP_PORTABLE)
  include(package/StaticLibraries)
  vrp_link_statically()
endif()
if(VRP_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(benchmark CONFIG REQUIRED)
  set(Python3_ROOT_DIR /usr)  # Selects Debian's Python, whatever comes first on PATH.
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  include(GoogleTest)
  # The interpreter with numpy and safetensors, for the tests that need them. `./dev` creates its environment;
  # without that environment, those tests are skipped.
  execute_process(COMMAND "${CMAKE_SOURCE_DIR}/cmake/setup_python.sh" --path
    OUTPUT_VARIABLE VRP_PYTHON OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/python_requirements.txt")
endif()
