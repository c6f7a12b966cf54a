# SPDX-License-Identifier: BSD-2-Clause
# The simulator: library tactum::sim, the only part that needs Pinocchio.
find_package(pinocchio 4 REQUIRED CONFIG)

file(GLOB_RECURSE tactum_sim_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/sim/*.cpp")
# these read the headers of Pinocchio, which take longer than all others together
set(tactum_sim_slow "")
foreach(name model/articulation model/make_articulation derivative/articulation_derivative)
  list(APPEND tactum_sim_slow "${PROJECT_SOURCE_DIR}/src/sim/${name}.cpp")
endforeach()
tactum_units(tactum_sim_units SOURCES ${tactum_sim_sources} ALONE ${tactum_sim_slow})
add_library(tactum_sim SHARED ${tactum_sim_units})
add_library(tactum::sim ALIAS tactum_sim)
target_link_libraries(tactum_sim PUBLIC tactum::tactum PRIVATE pinocchio::pinocchio_default pinocchio::pinocchio_parsers)
target_include_directories(tactum_sim PRIVATE "${PROJECT_SOURCE_DIR}/src")
tactum_compile_options(tactum_sim)
set_target_properties(tactum_sim PROPERTIES EXPORT_NAME sim CXX_EXTENSIONS OFF)

if(TACTUM_INSTALL AND NOT SKBUILD)
  install(TARGETS tactum_sim EXPORT tactumTargets)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tactum/sim" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tactum")
endif()
