# Debian's libqcustomplot-dev brings its own package file; this serves distributions whose package has none.
find_path(QCustomPlotQt6_INCLUDE qcustomplot.h)
find_library(QCustomPlotQt6_LIBRARY NAMES QCustomPlotQt6 qcustomplot-qt6 qcustomplot)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(QCustomPlotQt6 DEFAULT_MSG QCustomPlotQt6_LIBRARY QCustomPlotQt6_INCLUDE)
if(QCustomPlotQt6_FOUND AND NOT TARGET QCustomPlotQt6::QCustomPlotQt6)
  add_library(QCustomPlotQt6::QCustomPlotQt6 UNKNOWN IMPORTED)
  set_target_properties(QCustomPlotQt6::QCustomPlotQt6 PROPERTIES IMPORTED_LOCATION ${QCustomPlotQt6_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${QCustomPlotQt6_INCLUDE})
endif()
