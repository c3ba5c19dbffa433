# Builds the Debian packages from what is built already and looks into them.
#   cmake -DBUILD=... -DVERSION=... -DWINDOW=ON|OFF -P debian_package.cmake
set(work ${BUILD}/debian_package)
file(REMOVE_RECURSE ${work})
find_program(dpkg_deb dpkg-deb)
find_program(dpkg_shlibdeps dpkg-shlibdeps)
if(NOT dpkg_deb OR NOT dpkg_shlibdeps)
  message(STATUS "skipped: dpkg-deb or dpkg-shlibdeps is not installed")
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

function(package name result)
  file(GLOB files ${work}/${name}_${VERSION}_*.deb)
  list(LENGTH files count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${count} packages ${name}_${VERSION}_*.deb in ${work}")
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

function(expect text)
  foreach(pattern ${ARGN})
    if(NOT text MATCHES "${pattern}")
      message(FATAL_ERROR "no '${pattern}' in\n${text}")
    endif()
  endforeach()
endfunction()

run(${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${work})
package(sluice programs)
run(${dpkg_deb} --field ${programs})
expect("${output}" "Package: sluice\n" "Version: ${VERSION}\n" "Section: science\n" "Maintainer: [^\n]+\n" "Architecture: [a-z0-9]+\n"
  "Depends: [^\n]*libc6 \\(>=" "Depends: [^\n]*libginac" "Description: Design-space explorer [^\n]+\n [^\n]+\n")
if(WINDOW)
  expect("${output}" "Depends: [^\n]*libqt6widgets6" "Depends: [^\n]*libqcustomplot" "Depends: [^\n]*libgvc6")
endif()
run(${dpkg_deb} --contents ${programs})
expect("${output}" "-rwxr-xr-x root/root [^\n]* ./usr/bin/sluice-cli\n" "./usr/share/man/man1/sluice-cli.1.gz\n"
  "./usr/share/sluice/sample_workloads/simple_moe.sluice\n" "./usr/share/doc/sluice/copyright\n")
if(WINDOW)
  expect("${output}" "-rwxr-xr-x root/root [^\n]* ./usr/bin/sluice\n" "./usr/libexec/sluice/sluice-layout\n" "./usr/libexec/sluice/sluice-chart\n"
    "./usr/share/applications/sluice.desktop\n" "./usr/share/mime/packages/sluice.xml\n" "./usr/share/metainfo/sluice.metainfo.xml\n"
    "./usr/share/icons/hicolor/scalable/apps/sluice.svg\n" "./usr/share/man/man1/sluice.1.gz\n")
endif()
if(output MATCHES "usr/include|\\.a\n")
  message(FATAL_ERROR "the programs' package brings the engine's development files along:\n${output}")
endif()

# The dependencies are those of what was built: a program that runs here runs where they are installed.
run(${dpkg_deb} --extract ${programs} ${work}/root)
run(${work}/root/usr/bin/sluice-cli check ${work}/root/usr/share/sluice/sample_workloads/simple_moe.sluice)

package(libsluice-dev development)
run(${dpkg_deb} --field ${development})
expect("${output}" "Package: libsluice-dev\n" "Section: libdevel\n" "Depends: [^\n]*libeigen3-dev" "Description: [^\n]+\n This package has the engine")
run(${dpkg_deb} --contents ${development})
expect("${output}" "/libsluice_engine.a\n" "./usr/include/sluice/engine/explorer/explore.h\n" "/cmake/Sluice/SluiceConfig.cmake\n")
if(output MATCHES "/usr/bin/|/usr/share/")
  message(FATAL_ERROR "the development package brings programs along:\n${output}")
endif()
file(REMOVE_RECURSE ${work})
