# Messages of ROS 2 and of Unitree's robots by Cyclone DDS: idlc makes C of the .idl files in src/panto/bridge. Without type
# information (-t), as rmw_cyclonedds publishes them; readers then match by names.
find_path(PANTO_DDS_INCLUDE dds/dds.h)
find_library(PANTO_DDS_LIBRARY ddsc)
find_program(PANTO_IDLC idlc)
if(NOT PANTO_DDS_INCLUDE OR NOT PANTO_DDS_LIBRARY OR NOT PANTO_IDLC)
  return()
endif()
panto_header_version(dds_version ${PANTO_DDS_INCLUDE}/dds/version.h DDS_VERSION)
panto_uses("Cyclone DDS" ${dds_version})
set(panto_ros2_dir ${CMAKE_CURRENT_BINARY_DIR}/ros2)
file(MAKE_DIRECTORY ${panto_ros2_dir})
set(panto_dds_sources "")
foreach(name ros2 unitree)
  set(idl ${PROJECT_SOURCE_DIR}/src/panto/bridge/${name}/${name}_messages.idl)
  add_custom_command(OUTPUT ${panto_ros2_dir}/${name}_messages.c ${panto_ros2_dir}/${name}_messages.h
                     COMMAND ${PANTO_IDLC} -t -o ${panto_ros2_dir} ${idl}
                     DEPENDS ${idl} COMMENT "DDS messages: ${name}" VERBATIM)
  list(APPEND panto_dds_sources ${panto_ros2_dir}/${name}_messages.c)
endforeach()
add_library(panto_ros2_messages STATIC ${panto_dds_sources})
target_include_directories(panto_ros2_messages SYSTEM PUBLIC ${panto_ros2_dir} ${PANTO_DDS_INCLUDE})
target_compile_options(panto_ros2_messages PRIVATE -w)
set_target_properties(panto_ros2_messages PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(panto_ros2_messages PUBLIC ${PANTO_DDS_LIBRARY})

target_compile_definitions(panto_bridge PRIVATE PANTO_DDS)
target_include_directories(panto_bridge SYSTEM PRIVATE ${panto_ros2_dir} ${PANTO_DDS_INCLUDE})
list(APPEND panto_bridge_needs panto_ros2_messages)
if(TARGET panto_bridge_sanitized)
  add_dependencies(panto_bridge_sanitized panto_ros2_messages)  # the header is made first
endif()
