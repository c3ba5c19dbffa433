# The target `documentation`: the engine's headers as HTML, by Doxygen. A wrong command in a comment fails it.

set(SLUICE_DOCUMENTATION_FOLDER ${PROJECT_BINARY_DIR}/documentation)
configure_file(${PROJECT_SOURCE_DIR}/resources/doxygen/Doxyfile.in ${SLUICE_DOCUMENTATION_FOLDER}/Doxyfile @ONLY)
add_custom_target(documentation
  COMMAND Doxygen::doxygen ${SLUICE_DOCUMENTATION_FOLDER}/Doxyfile
  COMMENT "Reference of the engine: ${SLUICE_DOCUMENTATION_FOLDER}/html/index.html"
  VERBATIM)
