# What `cmake --install` lays out and `cpack` packs. The program finds the shim from its own place, so a
# tree installed anywhere works.
install(TARGETS tallyman RUNTIME)
install(TARGETS shim LIBRARY DESTINATION ${TALLYMAN_SHIM_DIR})
if(TARGET shim32)
  install(TARGETS shim32 LIBRARY DESTINATION lib/i386-linux-gnu/tallyman)
  # The loader of libc6-i386 (gcc-multilib) takes $LIB for lib32, that of libc6:i386 as above.
  file(CREATE_LINK ../../lib/i386-linux-gnu/tallyman/libtallyman.so
    ${PROJECT_BINARY_DIR}/lib32-libtallyman.so SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/lib32-libtallyman.so DESTINATION lib32/tallyman
    RENAME libtallyman.so)
endif()
install(FILES README.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(FILES docs/architecture.md docs/diff.schema.json docs/manifest.schema.json docs/report.schema.json docs/explain.schema.json
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
get_property(pages GLOBAL PROPERTY TALLYMAN_MAN_PAGES)
foreach(page ${pages})
  string(REGEX MATCH "[0-9]$" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
set(completions ${PROJECT_BINARY_DIR}/cli)
install(FILES ${completions}/tallyman.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME tallyman)
install(FILES ${completions}/_tallyman DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${completions}/tallyman.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tallyman)
set(CPACK_PACKAGE_CONTACT "The tallyman developers <tallyman@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION
"tallyman stands beside a build and records every file, variable, clock,
host and other ambient state that it uses, holds that against what the
project's manifest declares, and names the rest: with who used it, from
where, and how often.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
