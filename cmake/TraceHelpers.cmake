# One call adds a library with its sources, precompiled header and generated headers.

# What every compiler library is built with: LLVM's flags, warnings as errors in our own code.
add_library(trace_options INTERFACE)
target_include_directories(trace_options INTERFACE
  "${CMAKE_SOURCE_DIR}/include" "${CMAKE_BINARY_DIR}/include")
target_include_directories(trace_options SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(trace_options INTERFACE ${llvm_definitions})
target_compile_options(trace_options INTERFACE -fno-exceptions -Wall -Wextra -Wno-unused-parameter)
if(TRACE_ENABLE_ASAN)
  # LLVM is built without RTTI (vptr, function). A null pointer or an object that is too small is the address sanitizer's
  # to find; with these checks (and alignment's, made together with them) at every access a build takes twice as long.
  target_compile_options(trace_options INTERFACE -fsanitize=address,undefined
                         -fno-sanitize=vptr,function,null,alignment,object-size -fno-omit-frame-pointer)
  target_link_options(trace_options INTERFACE -fsanitize=address,undefined)
endif()

# The headers that nearly every file includes, compiled once (cmake/Precompiled.h). CMake is given the list and not that
# file, whose absolute path it would write into the header: another clone could not use the cache then.
file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/Precompiled.h" lines REGEX "^#include ")
string(REGEX REPLACE "#include \"([^\"]*)\"" "<\\1>" precompiled_headers "${lines}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/Precompiled.h")
file(WRITE "${CMAKE_BINARY_DIR}/pch.cpp" "")
add_library(trace_pch OBJECT "${CMAKE_BINARY_DIR}/pch.cpp")
target_link_libraries(trace_pch PRIVATE trace_options)
target_precompile_headers(trace_pch PRIVATE ${precompiled_headers})

# All tablegen targets, so that a library may include any generated header.
add_custom_target(trace_headers)

# trace_add_library(TraceAutodiff LINK TraceIR ...): every .cpp of the folder (and of its sub-folders), one
# static library; the shared libMLIR and libLLVM are the only things of LLVM that are linked.
function(trace_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC trace_options ${ARG_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM trace_pch)
  add_dependencies(${name} trace_headers)
endfunction()

function(trace_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE trace_options ${ARG_LINK} MLIR LLVM)
  # A precompiled header made with -fPIC cannot be used with -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM trace_pch)
  add_dependencies(${name} trace_headers)
endfunction()

# trace_add_passes(Autodiff): include/trace/Autodiff/Passes.td -> Passes.h.inc, listed for the docs.
function(trace_add_passes folder)
  set(LLVM_TARGET_DEFINITIONS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/Passes.td")
  string(REPLACE "/" "" prefix "${folder}")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${folder}")
  mlir_tablegen("${folder}/Passes.h.inc" -gen-pass-decls -name=Trace${prefix})
  add_public_tablegen_target(Trace${prefix}PassesIncGen)
  add_dependencies(trace_headers Trace${prefix}PassesIncGen)
endfunction()
