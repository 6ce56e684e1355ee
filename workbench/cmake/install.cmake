# workbench/cmake/install.cmake: where `cmake --install` puts the programs and their files; packages.
#
#   cmake --install build/release --prefix DIR     an installed program finds all files by its own place
#   cmake --workflow --preset package              builds and makes build/release/warpscope_…_amd64.deb
if(NOT TARGET warpscope)
  return()
endif()
include(GNUInstallDirs)
set(name "${PROJECT_NAME}")
set(packaging "${PROJECT_SOURCE_DIR}/assets/packaging")
set(made "${PROJECT_BINARY_DIR}/installed") # texts that are made for this installation

set_target_properties(warpscope PROPERTIES OUTPUT_NAME "${name}")
install(TARGETS warpscope RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET warpscope-engine)
  set_target_properties(warpscope-engine PROPERTIES OUTPUT_NAME "${name}-engine")
  install(TARGETS warpscope-engine RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  # Not a library that anyone links: a program loads it by its path, which is beside bin/ by name.
  install(TARGETS warpscope-capture LIBRARY DESTINATION "lib/${name}")
endif()

# What the programs read at run time: kernels with their headers, and assets without the pages' pictures.
set(data "${CMAKE_INSTALL_DATADIR}/${name}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/kernels" DESTINATION "${data}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/assets" DESTINATION "${data}"
        PATTERN "pictures" EXCLUDE PATTERN "packaging" EXCLUDE)
install(DIRECTORY "${packaging}/wheels" DESTINATION "${data}/assets/packaging")
install(FILES "${packaging}/fetch_wheels.py" DESTINATION "${data}/assets/packaging")

# The module for Python. It takes the program's name from its own.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/workbench/serve/python/warpscope_serve/"
        DESTINATION "lib/python3/dist-packages/${name}_serve" PATTERN "__pycache__" EXCLUDE)

# The pages, in folders as in the repository, so that their links hold.
set(pages "${CMAKE_INSTALL_DATADIR}/doc/${name}")
file(GLOB_RECURSE page_files RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
     assets/*.md profiling/*.md scenes/*.md tests/*.md workbench/*.md assets/pictures/*.png assets/lessons/*.json)
list(APPEND page_files assets/serve.schema.json assets/examples/eight_iterations/scene.toml
            assets/examples/programs/row_sums.cu scenes/csrmm/structures.json) # which pages lead to
foreach(page ${page_files})
  cmake_path(GET page PARENT_PATH folder)
  install(FILES "${page}" DESTINATION "${pages}/${folder}")
endforeach()
install(FILES README.md LICENSE "${packaging}/copyright" DESTINATION "${pages}")

# The manual page and the completions are made by the program itself, of the rows of --help.
foreach(text "man/man1/${name}.1;--man" "bash-completion/completions/${name};--completions;bash"
             "zsh/site-functions/_${name};--completions;zsh"
             "fish/vendor_completions.d/${name}.fish;--completions;fish")
  list(POP_FRONT text place)
  cmake_path(GET place PARENT_PATH folder)
  list(JOIN text "\" \"" words)
  install(CODE "
    file(MAKE_DIRECTORY \"${made}/${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:warpscope>\" help \"${words}\"
                    OUTPUT_FILE \"${made}/${place}\" COMMAND_ERROR_IS_FATAL ANY)")
  if(place MATCHES "^man/")
    install(CODE "
    file(ARCHIVE_CREATE OUTPUT \"${made}/${place}.gz\" PATHS \"${made}/${place}\" FORMAT raw
         COMPRESSION GZip)")
    string(APPEND place ".gz")
  endif()
  install(FILES "${made}/${place}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
endforeach()

configure_file("${packaging}/warpscope.desktop.in" "${made}/${name}.desktop" @ONLY)
configure_file("${packaging}/mime.xml.in" "${made}/${name}.xml" @ONLY)
install(FILES "${made}/${name}.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
install(FILES "${made}/${name}.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages")
install(FILES "${packaging}/icon.svg" RENAME "${name}.svg"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")

# The package for Debian. Libraries that are linked become dependencies by themselves; these are opened
# at run time, or read (fonts). NVIDIA's files are never in it: `doctor --fetch` brings them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME "${name}")
set(WARPSCOPE_MAINTAINER "The maintainers of Warpscope" CACHE STRING "Maintainer of packages, as NAME <ADDRESS> before one is published")
set(CPACK_PACKAGE_CONTACT "${WARPSCOPE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "workbench for making CUDA kernels faster")
set(CPACK_PACKAGE_DESCRIPTION "Runs the variants of a CUDA kernel while sliders change its sizes, and shows their times,
hardware counters, rooflines and memory diagrams. Without a GPU it emulates kernels on the
CPU and shows recorded sessions. NVIDIA's compiler is not part of this package:
`${name} doctor --fetch` installs it for the user who calls it.")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libegl1, libgl1, libgl1-mesa-dri, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-venv")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openssh-client, g++")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
