# ROS 2's messages by Cyclone DDS: idlc makes C of src/panto/bridge/ros2/ros2_messages.idl. Without type information (-t),
# as rmw_cyclonedds publishes them; readers then match by names.
find_path(PANTO_DDS_INCLUDE dds/dds.h)
find_library(PANTO_DDS_LIBRARY ddsc)
find_program(PANTO_IDLC idlc)
if(NOT PANTO_DDS_INCLUDE OR NOT PANTO_DDS_LIBRARY OR NOT PANTO_IDLC)
  return()
endif()
panto_header_version(dds_version ${PANTO_DDS_INCLUDE}/dds/version.h DDS_VERSION)
panto_uses("Cyclone DDS" ${dds_version})
set(panto_ros2_dir ${CMAKE_CURRENT_BINARY_DIR}/ros2)
set(panto_ros2_idl ${PROJECT_SOURCE_DIR}/src/panto/bridge/ros2/ros2_messages.idl)
file(MAKE_DIRECTORY ${panto_ros2_dir})
add_custom_command(OUTPUT ${panto_ros2_dir}/ros2_messages.c ${panto_ros2_dir}/ros2_messages.h
                   COMMAND ${PANTO_IDLC} -t -o ${panto_ros2_dir} ${panto_ros2_idl}
                   DEPENDS ${panto_ros2_idl} COMMENT "ROS 2's messages" VERBATIM)
add_library(panto_ros2_messages STATIC ${panto_ros2_dir}/ros2_messages.c)
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
