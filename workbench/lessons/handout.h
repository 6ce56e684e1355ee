// workbench/lessons/handout.h: a lesson on paper: pictures, texts and questions, answers at the
// end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenes/host/result.h"

//   Handout handout{lesson.title, "Figures: h200-csrmm.wsj.gz, NVIDIA H200", folder, steps};
//   write_handout(handout, "csrmm.pdf");   // or .md, .html

namespace warpscope {

struct HandoutStep {
  std::string text, picture;  // a PNG's name in the handout's folder; empty: none
  std::string ask;            // empty: no question
  std::vector<std::string> choices;
  std::string answer;  // with its explanation
};

struct Handout {
  std::string title, source;
  std::filesystem::path folder;  // of the pictures
  std::vector<HandoutStep> steps;
  std::optional<Error> stopped;  // why not all steps are there
};

// The picture of a step whose question is answered: 03-banks.png, 03-banks-answer.png.
std::string answer_file(const std::string& picture);

std::string handout_markdown(const Handout& handout);
// One self-contained page, which prints with each step on one sheet. error: environment, if a
// picture cannot be read.
Result<std::string> handout_html(const Handout& handout);

// Whether a handout can be written to this file. error: usage, for another ending than .md, .html
// or .pdf; environment, where no program makes a PDF.
Result<void> check_handout(const std::filesystem::path& file);
// The folder in which a handout's pictures are written before the handout: beside a .md file, whose
// text names them; else a folder of its own, to be removed afterwards.
std::filesystem::path pictures_of(const std::filesystem::path& file);
// Writes the handout. error: as check_handout; environment, if the program fails.
Result<void> write_handout(const Handout& handout, const std::filesystem::path& file);

}  // namespace warpscope
