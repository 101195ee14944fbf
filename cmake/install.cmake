# What `cmake --install` puts where. Components, which become packages: `program` is what runs sweeps, `development` what
# programs of others are built with. `python` is the package for Python where Debian's packages have theirs; without a
# package pip installs it, and `cmake --install` leaves it out.
include(CMakePackageConfigHelpers)

set(data ${CMAKE_INSTALL_DATADIR}/cosweep)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cosweep)
get_target_property(COSWEEP_LIBRARY_TYPE libcosweep TYPE)
set(COSWEEP_DATA_DIR ${data})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cosweep-config.cmake.in
  ${PROJECT_BINARY_DIR}/cosweep-config.cmake INSTALL_DESTINATION ${package} PATH_VARS COSWEEP_DATA_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cosweep-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cosweep.pc.in ${PROJECT_BINARY_DIR}/cosweep.pc @ONLY)

install(TARGETS installed RUNTIME COMPONENT program)
if(TARGET cosweep-mpi)
  install(TARGETS cosweep-mpi RUNTIME COMPONENT mpi)
  file(CONFIGURE OUTPUT manual/cosweep-mpi.1 CONTENT ".so man1/cosweep.1\n") # the same commands
  install(FILES ${PROJECT_BINARY_DIR}/manual/cosweep-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
endif()
set(made PATTERN __pycache__ EXCLUDE PATTERN *.h5 EXCLUDE) # by what was run in the source directory
install(DIRECTORY models sweeps host/cli/starter docs/schemas DESTINATION ${data} COMPONENT program ${made})
install(DIRECTORY docs/schemas DESTINATION ${data}/starter COMPONENT program)
install(FILES README.md CHANGELOG.md LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program ${made} PATTERN schemas EXCLUDE)

install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/pages/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/manual/pages/cosweep.bash RENAME cosweep
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/manual/pages/_cosweep DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
  COMPONENT program)

# Name, version and needs of the package for Python, as importlib.metadata finds them.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS packaging/python/pyproject.toml)
file(STRINGS packaging/python/pyproject.toml needs REGEX "^dependencies = ")
string(REGEX MATCHALL "[a-z0-9_-]+" COSWEEP_PYTHON_NEEDS "${needs}")
list(POP_FRONT COSWEEP_PYTHON_NEEDS) # the key
list(TRANSFORM COSWEEP_PYTHON_NEEDS PREPEND "Requires-Dist: " OUTPUT_VARIABLE needs)
list(JOIN needs "\n" needs)
file(CONFIGURE OUTPUT python/METADATA
  CONTENT "Metadata-Version: 2.1\nName: cosweep\nVersion: ${PROJECT_VERSION}\n${needs}\n")
set(modules lib/python3/dist-packages)
install(DIRECTORY packaging/python/cosweep DESTINATION ${modules} COMPONENT python EXCLUDE_FROM_ALL ${made})
install(FILES ${PROJECT_BINARY_DIR}/python/METADATA DESTINATION ${modules}/cosweep-${PROJECT_VERSION}.dist-info
  COMPONENT python EXCLUDE_FROM_ALL)

install(TARGETS libcosweep EXPORT cosweep
  LIBRARY COMPONENT program NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development)
install(EXPORT cosweep NAMESPACE cosweep:: FILE cosweep-targets.cmake DESTINATION ${package} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/cosweep-config.cmake ${PROJECT_BINARY_DIR}/cosweep-config-version.cmake
  DESTINATION ${package} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/cosweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
list(TRANSFORM COSWEEP_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/host/ OUTPUT_VARIABLE headers)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cosweep COMPONENT development)
