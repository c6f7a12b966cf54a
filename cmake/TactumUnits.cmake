# SPDX-License-Identifier: BSD-2-Clause
# tactum_units(RESULT SOURCES files... [ALONE files...]): files of one folder compiled a few at a time.
#
# Two thirds of the time a file of the library takes to compile is headers, and a unit of five files reads them once. A unit includes
# files of one folder, so a name at the top of a .cpp file is used once in its folder; the files after ALONE are not joined with others.
# With -D TACTUM_UNITS=OFF each file is compiled by itself, which shows whether it includes what it uses: ./run build dev and ./run
# lint do that.
#
# Units lie in the folder `units` of the outermost build folder, and name their files from `src` on. For a compiler's cache that takes
# names relative to where the compiler runs, as ./run sets it, a unit is then the same in every build folder as deep, also inside
# another project.
option(TACTUM_UNITS "Compile files of one folder together" ON)
set(tactum_unit_size 5)

function(tactum_units result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;ALONE")
  if(NOT TACTUM_UNITS)
    set(${result} ${arg_SOURCES} PARENT_SCOPE)
    return()
  endif()
  set(units ${arg_ALONE})
  list(REMOVE_ITEM arg_SOURCES ${arg_ALONE})
  list(SORT arg_SOURCES)
  set(last_folder "")
  set(content "")
  foreach(source IN LISTS arg_SOURCES ITEMS /end)
    get_filename_component(folder "${source}" DIRECTORY)
    if(content AND (count EQUAL tactum_unit_size OR NOT folder STREQUAL last_folder))
      file(CONFIGURE OUTPUT "${unit}" CONTENT "${content}" @ONLY)
      list(APPEND units "${unit}")
      set(content "")
    endif()
    if(NOT folder STREQUAL last_folder)
      set(index 0)
      set(last_folder "${folder}")
    endif()
    if(NOT content)
      set(count 0)
      math(EXPR index "${index} + 1")
      file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src" "${folder}")
      string(REPLACE "/" "-" name "${name}")
      set(unit "${CMAKE_BINARY_DIR}/units/${name}-${index}.cpp")
    endif()
    file(RELATIVE_PATH member "${PROJECT_SOURCE_DIR}/src" "${source}")
    string(APPEND content "#include \"${member}\"\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()
