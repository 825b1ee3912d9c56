// SPDX-License-Identifier: Apache-2.0
// device/object_files.h -- a compiled program as files for a C compiler and a linker: what to write, and its text.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo {

/// A matrix of a CasADi function: its nonzeros in the order of CasADi, column after column.
struct CasadiMatrix {
  std::string name;
  int64_t rows = 0, columns = 0;
  std::vector<std::pair<int64_t, int64_t>> entries;  ///< (row, column) of each nonzero
};

/// CasADi's interface of an external function, which an object offers next to hilo's. The program has a vector of
/// doubles for each matrix: its nonzeros.
struct CasadiFunction {
  std::string name;
  std::vector<CasadiMatrix> arguments;  ///< the first ones are those of the program; it doesn't read the others
  std::vector<CasadiMatrix> results;
  /// Objects that the file also has: the derivatives; and their functions.
  std::vector<std::string> objects = {}, functions = {};
};

/// What an object links besides the C library.
enum class ObjectRuntime {
  kNone,     ///< nothing: operations that need hilo's library are rejected
  kLibrary,  ///< libhilo_rt.a: sorts, scatters, convolutions, Fourier transforms, linear algebra
};

/// How a program is written as an object file. A C program calls its function without hilo.
struct ObjectOptions {
  std::string name;  ///< name of the C function: an identifier
  /// "x86-64:v2", "x86-64:v3", "x86-64:v4", or several levels, "x86-64:v2,v3,v4", among which the first call chooses;
  /// "aarch64"; empty: the instructions that jit uses here. "exact:" before it: the same bits for all targets.
  std::string target = {};
  ObjectRuntime runtime = ObjectRuntime::kNone;
  /// Names of the leaves of the arguments and of the results, for the header: "params['w']". Empty: their numbers.
  std::vector<std::string> argument_paths = {}, result_paths = {};
  bool realtime = false;  ///< whether to refuse loops whose number of turns isn't known before a call
  bool test = false;      ///< whether to write a C program that tests the function
  std::vector<Literal> test_arguments = {};  ///< its arguments, one a leaf
  std::optional<CasadiFunction> casadi = {};
};

/// The files of a program.
struct ObjectFiles {
  std::string object;    ///< relocatable ELF
  std::string header;    ///< for C99 and C++
  std::string manifest;  ///< the header's figures as JSON
  std::string test;      ///< C99, to be preceded by an include of the header; empty without ObjectOptions::test
  std::string work;      ///< what a call does at most, in a line of text
  std::vector<std::string> functions = {};  ///< names of the functions that a linker sees
};

}  // namespace hilo
