# vrp_add_proto_library(vrp_x PROTOS vrp/v1/solver_service.proto ... [IMPORT_DIRS dir ...] [DEPS ...] [GRPC])
#
# Compiles .proto files, named relative to the calling folder, into a static library vrp_x with the
# alias vrp::x. With GRPC, also compiles their services. Include the generated headers as
# "vrp/v1/solver_service.pb.h" and "vrp/v1/solver_service.grpc.pb.h". DEPS are libraries of imported
# protos, IMPORT_DIRS their folders.
# Also builds <name>.binpb, a FileDescriptorSet with all imports; the target's property
# VRP_DESCRIPTOR_SET holds its path.

include_guard()

find_program(VRP_GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)

function(vrp_add_proto_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GRPC" "" "PROTOS;IMPORT_DIRS;DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vrp_add_proto_library(${name}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  string(REGEX REPLACE "^vrp_" "" alias "${name}")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/gen")
  file(MAKE_DIRECTORY "${out}")

  set(imports "-I${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(dir IN LISTS arg_IMPORT_DIRS)
    list(APPEND imports "-I${dir}")
  endforeach()
  set(inputs ${arg_PROTOS})
  list(TRANSFORM inputs PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")

  set(generated "")
  foreach(proto IN LISTS arg_PROTOS)
    string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
    set(outputs "${out}/${stem}.pb.cc" "${out}/${stem}.pb.h")
    set(plugin "")
    if(arg_GRPC)
      list(APPEND outputs "${out}/${stem}.grpc.pb.cc" "${out}/${stem}.grpc.pb.h")
      set(plugin "--grpc_out=${out}" "--plugin=protoc-gen-grpc=${VRP_GRPC_CPP_PLUGIN}")
    endif()
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND protobuf::protoc ${imports} "--cpp_out=${out}" ${plugin} "${CMAKE_CURRENT_SOURCE_DIR}/${proto}"
      DEPENDS ${inputs}
      COMMENT "protoc ${proto}"
      VERBATIM)
    list(APPEND generated ${outputs})
  endforeach()

  set(descriptor "${CMAKE_CURRENT_BINARY_DIR}/${name}.binpb")
  add_custom_command(
    OUTPUT "${descriptor}"
    COMMAND protobuf::protoc ${imports} --include_imports "--descriptor_set_out=${descriptor}" ${inputs}
    DEPENDS ${inputs}
    COMMENT "protoc ${name}.binpb"
    VERBATIM)
  add_custom_target(${name}_descriptor ALL DEPENDS "${descriptor}")

  add_library(${name} STATIC ${generated})
  # All generated message files define the same static names, so they are compiled one by one. Service files
  # do not.
  set(messages ${generated})
  list(FILTER messages EXCLUDE REGEX "\\.grpc\\.pb\\.cc$")
  list(FILTER messages INCLUDE REGEX "\\.cc$")
  set_source_files_properties(${messages} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  _vrp_unity(${name} 16)
  # SYSTEM, and no vrp_flags: our warnings do not apply to generated code.
  target_include_directories(${name} SYSTEM PUBLIC "${out}")
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf ${arg_DEPS} PRIVATE vrp_baseline)
  if(arg_GRPC)
    target_link_libraries(${name} PUBLIC gRPC::grpc++)
  endif()
  target_compile_options(${name} PRIVATE -w)
  set_target_properties(${name} PROPERTIES VRP_DESCRIPTOR_SET "${descriptor}" CXX_CLANG_TIDY "")
  add_library(vrp::${alias} ALIAS ${name})
endfunction()
