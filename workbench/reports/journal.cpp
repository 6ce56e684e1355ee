// workbench/reports/journal.cpp: the iterations of an optimisation, with what a session says of
// each.
#include "profiling/journal/journal.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "profiling/export/journal_tables.h"
#include "profiling/journal/fork_journal.h"
#include "scenes/catalogue.h"
#include "scenes/read_folder.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

using nlohmann::json;

json described(const SceneJournal& journal) {
  json entries = json::array();
  for (const JournalEntry& entry : journal.entries) {
    const Iteration& i = entry.iteration;
    json object = {
        {"number", i.number},   {"parent", i.parent},       {"variant", i.variant},
        {"depth", entry.depth}, {"on_path", entry.on_path}, {"hypothesis", i.hypothesis},
        {"said", i.said},       {"verdict", i.verdict},     {"decision", to_text(i.decision)}};
    if (!i.axes.empty()) object["axes"] = i.axes;
    if (!i.diff.empty()) object["diff"] = i.diff;
    if (entry.time_ns) object["time_ns"] = *entry.time_ns;
    if (entry.gain_ratio) object["gain_ratio"] = *entry.gain_ratio;
    if (!entry.against_parent.empty()) object["against_parent"] = entry.against_parent;
    if (entry.judged > 0)
      object["predictions"] = {{"judged", entry.judged}, {"right", entry.right}};
    entries.push_back(std::move(object));
  }
  return {{"scene", journal.scene},
          {"of", journal.own ? "session" : "article"},
          {"at", journal.problem},
          {"device", journal.device},
          {"iterations", entries}};
}

void print(const Catalogue& catalogue, const SceneJournal& journal) {
  std::printf("%s\n", heading_of(journal).c_str());
  for (const JournalEntry& entry : journal.entries) {
    const Iteration& i = entry.iteration;
    std::printf("%*s%lld %s  %s\n", 2 + 4 * entry.depth, "", static_cast<long long>(i.number),
                journal_place(catalogue, i).c_str(), decision_text(i.decision).c_str());
    const int indent = 6 + 4 * entry.depth;
    const auto line = [indent](const char* what, const std::string& text) {
      if (!text.empty()) std::printf("%*s%-9s %s\n", indent, "", what, text.c_str());
    };
    line("expected", i.hypothesis);
    line("said", i.said);
    line("here", entry.time_ns
                     ? format_value(*entry.time_ns, "ns") +
                           (entry.against_parent.empty() ? "" : ", ") + entry.against_parent
                     : "");
    line("became", i.verdict);
    line("change", i.diff);
  }
  if (const std::string score = prediction_score(journal.entries); !score.empty())
    std::printf("  %s\n", score.c_str());
}

struct Options {
  std::string session, scene, device_uuid;
  bool as_json = false;
};

int run(const Options& options) {
  const auto catalogue = program_catalogue();
  Session session(catalogue);
  if (!options.session.empty()) {
    // For a folder with a scene: the journal in it. A person's own folder may be given by name.
    std::filesystem::path path = options.session;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored) && is_scene_folder(user_scene_folder() / path))
      path = user_scene_folder() / path;
    const bool folder = is_scene_folder(path);
    const Result<const Scene*> opened = folder ? catalogue->open_folder(path) : nullptr;
    if (!opened) return fail(opened.error());
    const std::string file =
        folder ? (catalogue->folder_of((*opened)->name) / kJournalFile).string() : options.session;
    Result<Session> loaded = load_session(file, options.device_uuid, catalogue);
    if (!loaded) return fail(loaded.error());
    session = std::move(*loaded);
  }
  if (!options.scene.empty()) {
    if (const auto known = catalogue->find(options.scene); !known) return fail(known.error());
  }
  const Result<std::vector<SceneJournal>> journals = journals_of(session, options.scene);
  if (!journals) return fail(journals.error());
  json all = json::array();
  for (const SceneJournal& journal : *journals) {
    if (options.as_json) {
      all.push_back(described(journal));
    } else {
      print(*catalogue, journal);
    }
  }
  if (options.as_json) std::printf("%s\n", all.dump(2).c_str());
  if (journals->empty()) std::fprintf(stderr, "warpscope: there is no journal of this scene\n");
  return 0;
}

}  // namespace

void declare_journal(CLI::App& command, int& status) {
  auto options = std::make_shared<Options>();
  command.add_option(
      "session", options->session,
      "a .wsj or .wsj.gz file with iterations and figures; or a scene's folder or name");
  command.add_option("--scene", options->scene, "only of this scene");
  declare_device_uuid(command, options->device_uuid);
  declare_folders(command);
  command.add_flag("--json", options->as_json, "print JSON");
  command.callback([options, &status] { status = run(*options); });
}

}  // namespace warpscope
