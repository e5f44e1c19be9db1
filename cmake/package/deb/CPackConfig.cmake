# Sets CPack's options for the Debian package. cmake/package/deb.sh passes the folder of the
# files, the version and the maintainer.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vrpd)
set(CPACK_PACKAGE_VENDOR vrp)
set(CPACK_PACKAGE_FILE_NAME vrpd)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "vehicle routing: training and solving behind gRPC")
set(CPACK_PACKAGE_DESCRIPTION "vrpd is a daemon that solves vehicle routing problems (TSP, CVRP, VRPTW and
their variants) by search and by neural networks, and trains such networks as
jobs that survive crashes and restarts. vrpctl is its command line.

The service listens on this machine only until its configuration in
/etc/vrpd/vrpd.yaml names another address, certificates and tokens.")
set(CPACK_PACKAGING_INSTALL_PREFIX "/")
set(CPACK_SET_DESTDIR OFF)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/set_dates.cmake")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # adds the shared libraries to the dependencies
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_LIST_DIR}/conffiles"
  "${CMAKE_CURRENT_LIST_DIR}/postinst"
  "${CMAKE_CURRENT_LIST_DIR}/prerm"
  "${CMAKE_CURRENT_LIST_DIR}/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
