// workbench/panels/launch/launch_form.h: the launch of one kernel as a form shows it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "scenes/base/axis.h"
#include "scenes/catalogue.h"
#include "scenes/folder/form/described_fill.h"

// A form is made of a description's text, and what is typed into it becomes edits of that text:
//
//   const LaunchForm form = launch_form(text->description, "row_sums", "thread_per_row");
//   set_extent(edits, form, "grid", 0, "64");
//   const std::string wrong = refusal_of(catalogue, scene, edits, variant, axes);   // empty: good

namespace warpscope {

// A value with what the program says of it.
struct FormValue {
  std::string text;  // as it is typed: "64", "ceil_div(rows, 128)"
  std::string why;   // "from line 57: const int rows = 2048;"
  int line = 0;      // of the program; 0: none says it
  bool guessed = false;
};

struct FormBuffer {
  std::string name, type, shape_key;  // shape_key: "count" or "shape"
  FormValue count;                    // extents with commas between them
  DescribedFill fill;
  FormValue filled;  // why it begins so; without a text
  bool written = false;
  std::string symbol;  // the __constant__ array that it is copied to; empty: it is an argument
};

struct FormArgument {
  std::string name, declared;        // "rows", "int": of the kernel's text
  std::string words;                 // as the description has it: "in", "i32:rows"
  std::string type, value;           // of a number; empty: a buffer or a structure
  std::vector<std::string> buffers;  // that it passes
};

struct LaunchForm {
  std::string table;  // "variants.thread_per_row"
  std::array<FormValue, 3> grid, block;
  FormValue shared;
  std::vector<FormArgument> arguments;
  std::vector<FormBuffer> buffers;   // of the arguments and of the constants, each once
  std::vector<FormValue> questions;  // what the program does not say

  const FormBuffer* buffer(const std::string& name) const;
};

LaunchForm launch_form(const std::string& description, const std::string& variant);

// `key`: "grid" or "block"; `axis`: 0 to 2.
void set_extent(DescriptionEdits& edits, const LaunchForm& form, const std::string& key, int axis,
                const std::string& text);
void set_shared(DescriptionEdits& edits, const LaunchForm& form, const std::string& text);
void set_argument(DescriptionEdits& edits, const LaunchForm& form, std::size_t place,
                  const std::string& words);
void set_count(DescriptionEdits& edits, const FormBuffer& buffer, const std::string& text);
void set_type(DescriptionEdits& edits, const FormBuffer& buffer, const std::string& type);

// Why the file's description with these edits cannot run `variant` at these values, in one
// sentence; empty: it can.
std::string refusal_of(const Catalogue& catalogue, const std::string& scene,
                       const DescriptionEdits& edits, const std::string& variant,
                       const Configuration& axes);

}  // namespace warpscope
