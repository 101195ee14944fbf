# Makes installed files those of a Debian package: compresses manual pages and changelogs, strips static libraries, adds
# the copyright. cpack runs it on the staged files of all components.
set(program_package cosweep)
set(development_package libcosweep-dev)
set(python_package python3-cosweep)
set(mpi_package cosweep-mpi)

function(compress)
  if(ARGN)
    execute_process(COMMAND gzip -9n ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  if(NOT IS_DIRECTORY ${root})
    message(FATAL_ERROR "no staged files in ${root}")
  endif()
  set(documents ${root}/share/doc/${${component}_package})
  file(GLOB pages ${root}/share/man/man1/*.1)
  compress(${pages})
  file(COPY ${CPACK_COSWEEP_PACKAGING}/copyright DESTINATION ${documents})
  file(COPY_FILE ${CPACK_COSWEEP_PACKAGING}/changelog ${documents}/changelog.Debian)
  compress(${documents}/changelog.Debian)
  if(EXISTS ${documents}/CHANGELOG.md)
    file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
    compress(${documents}/changelog)
  endif()
  file(GLOB_RECURSE libraries ${root}/lib/*.a)
  if(libraries) # cpack itself strips programs and shared libraries alone
    execute_process(COMMAND ${CPACK_COSWEEP_STRIP} --strip-debug --remove-section=.comment --remove-section=.note
      --enable-deterministic-archives ${libraries} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(REMOVE ${documents}/LICENSE) # the copyright has it
  if(EXISTS ${root}/share/zsh/site-functions)
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  endif()
endforeach()
