# Installs man pages and completions, which are generated from the built programs.
if(TARGET vrpd AND TARGET vrpctl)
  install(CODE "execute_process(
    COMMAND \"${CMAKE_SOURCE_DIR}/cmake/package/texts.sh\" \"$<TARGET_FILE_DIR:vrpd>\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\"
    COMMAND_ERROR_IS_FATAL ANY)")
endif()
