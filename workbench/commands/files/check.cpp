// workbench/commands/files/check.cpp: check: whether files that Warpscope wrote are whole.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiling/capture/reader.h"
#include "profiling/gate/gate_file.h"
#include "profiling/gate/gate_record.h"
#include "profiling/session/session_check.h"
#include "scenes/base/plural.h"
#include "scenes/file_scene.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

using nlohmann::json;

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
};

struct Checked {
  std::string file, kind;
  FileCheck found;
  std::size_t kernels = 0, records = 0;  // of a gate
};

// A capture has a checksum in each section, and an end. error: input, where it is none.
Result<Checked> check_capture(const std::string& path) {
  Checked checked{path, "capture", {}};
  const auto wrong = [&](const Error& error) -> Result<Checked> {
    constexpr std::string_view kDamaged = "the capture is damaged: ";
    if (!error.what.starts_with(kDamaged)) return tl::unexpected(error);
    const std::string why = error.what.substr(kDamaged.size());
    const bool early = why.starts_with("it ends early") || why.starts_with("it has no end");
    checked.found.state = early ? FileState::torn : FileState::altered;
    checked.found.sentences = {why};
    return checked;
  };
  const auto file = CaptureFile::open(path);
  if (!file) return wrong(file.error());
  if (const Result<void> whole = file->check(); !whole) return wrong(whole.error());
  return checked;
}

// The recorded part of a gate's file has a hash. error: input: the person's part is not a gate's.
Result<Checked> check_gate(const std::string& path) {
  const Result<std::string> text = read_input(path, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  const std::string_view own = own_part(*text);
  const Result<GateFile> file = parse_gate_file(own, path);
  if (!file) return tl::unexpected(file.error());
  Checked checked{path, "gate", {}, file->kernels.size()};
  const Result<GateRecords> recorded = parse_recorded(*text, path);
  if (recorded) {
    checked.records = recorded->records.size();
  } else if (own.size() == text->size()) {
    checked.found.sentences = {"nothing is recorded in it yet"};
  } else {
    checked.found.state = text->ends_with('\n') ? FileState::altered : FileState::torn;
    checked.found.sentences = {recorded.error().what};
  }
  return checked;
}

Result<Checked> check_file(const std::string& path) {
  if (is_capture_file(path)) return check_capture(path);
  if (std::filesystem::path(path).extension() == ".toml") return check_gate(path);
  return check_session(path).map([&](FileCheck&& found) {
    return Checked{path, "session", std::move(found)};
  });
}

std::string state_of(const Checked& checked) {
  return named(checked.found.state, {"whole", "torn", "altered"});
}

void print(const Checked& checked) {
  const FileCheck& found = checked.found;
  std::string counts;
  if (checked.kind == "session")
    counts = " (" + std::to_string(found.messages) + " messages, " + std::to_string(found.sealed) +
             " of " + std::to_string(found.lines) + " lines sealed)";
  if (checked.kind == "gate")
    counts = " (" + plural(static_cast<std::int64_t>(checked.kernels), "kernel") + ", " +
             plural(static_cast<std::int64_t>(checked.records), "record") + ")";
  std::printf("%s: %s%s\n", visible_name(checked.file).c_str(), state_of(checked).c_str(),
              counts.c_str());
  for (const std::string& sentence : found.sentences)
    std::printf("  %s\n", visible_name(sentence).c_str());
}

json row(const Checked& checked) {
  json object = {{"file", checked.file},
                 {"kind", checked.kind},
                 {"state", state_of(checked)},
                 {"sentences", checked.found.sentences}};
  if (checked.kind == "session") {
    object["lines"] = checked.found.lines;
    object["messages"] = checked.found.messages;
    object["sealed_lines"] = checked.found.sealed;
  }
  if (checked.kind == "gate") {
    object["kernels"] = checked.kernels;
    object["records"] = checked.records;
  }
  return object;
}

// Every file is looked at, whatever the first ones are.
int run_check(const CheckOptions& options) {
  int status = 0;
  json rows = json::array();
  for (const std::string& path : options.files) {
    const Result<Checked> checked = check_file(path);
    if (!checked) {
      status = std::max(status, fail(checked.error()));
      continue;
    }
    if (checked->found.state != FileState::whole) status = std::max(status, 1);
    if (options.json) {
      rows.push_back(row(*checked));
    } else {
      print(*checked);
    }
  }
  if (options.json)
    std::printf("%s\n", rows.dump(2, ' ', false, json::error_handler_t::replace).c_str());
  return status;
}

}  // namespace

void declare_check(CLI::App& command, int& status) {
  auto options = std::make_shared<CheckOptions>();
  command
      .add_option("files", options->files,
                  "sessions (.wsj, .wsj.gz, or - for a pipe), captures (.wcap) and gates (.toml)")
      ->required();
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_check(*options); });
}

}  // namespace warpscope
