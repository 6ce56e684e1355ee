// profiling/launches/program_launches.h: the launches of a program's text in the words of a trace
// job.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/messages/protocol.h"
#include "scenes/program/program.h"

// A .cu file is traced as it is: its host code is read, never run, and says what is launched with
// what. Each value that was read or guessed is a row for the person.
//
//   ProgramLaunches read = program_launches(text);
//   job.user->buffers = read.buffers; job.user->launches = read.launches;

namespace warpscope {

// A value that was read from the program, or a default in its place.
struct ReadValue {
  std::string what;      // "in = f32[28672]:random"
  std::string why;       // "filled with random numbers"; empty: the line says it
  int line = 0;          // of the text; 0: none says it
  bool guessed = false;  // the text does not say it
};

struct ProgramLaunches {
  std::vector<std::pair<std::string, std::string>> buffers;
  std::vector<UserLaunch> launches;
  std::vector<std::vector<ReadValue>> values;  // by launch
  std::vector<ReadValue> others;               // of no launch: what is left out, and why
  std::vector<std::string> guessed_sizes;      // buffers whose count the text does not say
  std::vector<std::string> guessed_contents;   // those of whole numbers that it does not fill
};

// `kernel` chooses the launches of one kernel; empty: all that the program makes as it stands, or
// one of each kernel if it makes none.
// `headers`: as of read_program.
ProgramLaunches program_launches(std::string_view text, const std::string& kernel = {},
                                 const HeaderTexts& headers = {});

// The same of kernels that were compiled, for a text without host code: whole numbers are sizes,
// and a buffer has an element for each.
ProgramLaunches listed_launches(const std::vector<ListedKernel>& kernels, std::string_view ptx,
                                const std::string& kernel = {});

}  // namespace warpscope
