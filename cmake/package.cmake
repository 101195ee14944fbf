# Debian packages of what is installed: cpack -G DEB in the build directory writes cosweep_*.deb, libcosweep-dev_*.deb,
# python3-cosweep_*.deb and, where it is built, cosweep-mpi_*.deb.
set(CPACK_PACKAGE_NAME cosweep)
set(CPACK_PACKAGE_VENDOR "The cosweep authors")
set(CPACK_PACKAGE_CONTACT "The cosweep authors <cosweep@example.org>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development python)
if(TARGET cosweep-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_COSWEEP_PACKAGING ${PROJECT_SOURCE_DIR}/cmake/packaging)
set(CPACK_COSWEEP_STRIP ${CMAKE_STRIP})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~cosweep1) # older than what Debian itself may have one day

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cosweep)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd, gnuplot-nox | gnuplot")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS python3-cosweep)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "cosweep runs parameter sweeps of co-simulations: thousands of runs of a
network of coupled linear subsystems, each with its own step size,
extrapolation order, solver or parameter, in one command.
.
The result is one HDF5 file with named axes, errors, defects and orders of
convergence, which reads as netCDF-4. Runs are computed by kernels in the
program (for ${COSWEEP_KERNELS} processors) or by OpenCL, on processors or
GPUs, in double precision.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcosweep-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libhdf5-dev, libcjson-dev, liblapacke-dev, ocl-icd-opencl-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS cosweep)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "cosweep runs parameter sweeps of co-simulations: thousands of runs of a
network of coupled linear subsystems, each with its own step size,
extrapolation order, solver or parameter.
.
This package has the library and its headers, for C programs that run sweeps
themselves, with files for pkg-config and CMake.")

list(TRANSFORM COSWEEP_PYTHON_NEEDS PREPEND python3- OUTPUT_VARIABLE needs)
list(JOIN needs ", " needs)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-cosweep)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), ${needs}, cosweep (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-scipy, python3-tqdm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CPACK_COSWEEP_PACKAGING}/python/postinst
  ${CPACK_COSWEEP_PACKAGING}/python/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "cosweep runs parameter sweeps of co-simulations: thousands of runs of a
network of coupled linear subsystems, each with its own step size,
extrapolation order, solver or parameter.
.
This package has the module for Python: networks from matrices, results as
datasets of xarray, and what the program calls to import NumPy archives, and,
with FMPy, FMUs and SSP files.")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME cosweep-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "cosweep (>= ${PROJECT_VERSION})") # its models, sweeps and manual
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin | slurm-client, pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_MPI_DESCRIPTION "cosweep runs parameter sweeps of co-simulations: thousands of runs of a
network of coupled linear subsystems, each with its own step size,
extrapolation order, solver or parameter.
.
This package has the program for the ranks of an MPI job, which share a sweep
and write the same result.")
include(CPack)
