// workbench/serve/serve_journal.cpp: the iterations that `warpscope serve` notes, and what it is
// told of them.
#include <algorithm>

#include "profiling/export/journal_tables.h"
#include "profiling/messages/json_codec.h"
#include "scenes/base/source.h"
#include "workbench/commands/commands.h"
#include "workbench/serve/server.h"

namespace warpscope {
namespace {

using nlohmann::json;

// error: usage, there is none of this number.
Result<Iteration> numbered(const Session& session, const std::string& scene, std::int64_t number) {
  const std::vector<const Iteration*> all = session.outcomes().iterations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Iteration* each) {
    return each->scene == scene && each->number == number;
  });
  if (found != all.end()) return **found;
  return failure(ErrorKind::usage, "there is no iteration " + std::to_string(number), scene,
                 "request journal lists them");
}

// error: usage.
Result<Decision> decision_of(const std::string& text) {
  for (const Decision each : {Decision::open, Decision::kept, Decision::reverted}) {
    if (text == to_text(each)) return each;
  }
  return failure(ErrorKind::usage, "“" + text + "” is not a decision", "decision",
                 "write kept, reverted or open");
}

}  // namespace

Result<void> Server::begin_journal(const std::string& scene) {
  if (catalogue_->folder_of(scene).empty()) return {};
  const auto take = [this](const Iteration& each) { session_.apply(each); };
  if (begun_.count(scene) != 0) return journals_.look(scene, take);
  if (Result<void> begun = journals_.begin(scene, take); !begun) return begun;
  begun_.insert(scene);
  watch_.begin(scene, catalogue_->sources_of(scene).value_or(nullptr));
  return {};
}

Result<void> Server::locked(const std::string& scene, const std::function<Result<void>()>& act) {
  return journals_.locked(
      scene, [this](const Iteration& each) { session_.apply(each); }, act);
}

Result<void> Server::note_change(const Measurement& measured, const KernelTexts& texts) {
  if (catalogue_->folder_of(measured.scene).empty()) return {};
  return locked(measured.scene, [&]() -> Result<void> {
    for (Iteration& made : watch_.see(measured, texts, session_)) {
      if (made.parent != 0 && made.hypothesis.empty())
        made.hypothesis = std::exchange(expected_[measured.scene], "");
      noted_ = made.number;
      if (Result<void> kept = note_iteration(made); !kept) return kept;
    }
    return {};
  });
}

Result<void> Server::note_iteration(const Iteration& iteration) {
  return keep(iteration).and_then([&] { return journals_.keep(iteration); });
}

Result<json> Server::journal(const ServeRequest& request) {
  const Result<SceneAndVariants> chosen = scene_argument(*catalogue_, request.text("scene"));
  if (!chosen) return tl::unexpected(chosen.error());
  const std::string scene = chosen->scene->name;
  if (Result<void> begun = begin_journal(scene); !begun) return tl::unexpected(begun.error());
  const Result<std::vector<SceneJournal>> journals = journals_of(session_, scene);
  if (!journals) return tl::unexpected(journals.error());
  json rows = json::array();
  for (const SceneJournal& each : *journals) {
    for (const JournalEntry& entry : each.entries) {
      json row = encode(entry.iteration);
      row["of"] = each.own ? "session" : "article";
      rows.push_back(std::move(row));
    }
  }
  return json{{"iterations", rows}};
}

Result<json> Server::note(const ServeRequest& request) {
  const Result<SceneAndVariants> chosen = scene_argument(*catalogue_, request.text("scene"));
  if (!chosen) return tl::unexpected(chosen.error());
  const std::string scene = chosen->scene->name;
  if (Result<void> begun = begin_journal(scene); !begun) return tl::unexpected(begun.error());
  json said;
  const Result<void> noted = locked(scene, [&]() -> Result<void> {
    Result<Iteration> iteration = numbered(session_, scene, request.number("number"));
    if (!iteration) return tl::unexpected(iteration.error());
    if (const std::string hypothesis = request.text("hypothesis"); !hypothesis.empty())
      iteration->hypothesis = hypothesis;
    if (const std::string text = request.text("decision"); !text.empty()) {
      const Result<Decision> decision = decision_of(text);
      if (!decision) return tl::unexpected(decision.error());
      iteration->decision = *decision;
    }
    said = {{"iteration", encode(*iteration)}};
    return note_iteration(*iteration);
  });
  if (!noted) return tl::unexpected(noted.error());
  return said;
}

Result<json> Server::go_back(const ServeRequest& request) {
  const Result<std::string> scene = scene_to_edit(*catalogue_, request.text("scene"));
  if (!scene) return tl::unexpected(scene.error());
  if (Result<void> begun = begin_journal(*scene); !begun) return tl::unexpected(begun.error());
  const Result<Iteration> then = numbered(session_, *scene, request.number("number"));
  if (!then) return tl::unexpected(then.error());
  // As the disk has it now: what another program saved is noted too.
  if (const auto now = catalogue_->open_folder(catalogue_->folder_of(*scene)); !now)
    return tl::unexpected(now.error());
  json said = json::object();
  const auto note = [&](const Iteration& last) {
    said["noted"] = last.number;
    return note_iteration(last);
  };
  const Result<void> gone = locked(*scene, [&] { return go_back_to(*then, session_, note); });
  if (!gone) return tl::unexpected(gone.error());
  const Result<const Scene*> opened = catalogue_->open_folder(catalogue_->folder_of(*scene));
  if (!opened) return tl::unexpected(opened.error());
  said["hash"] = catalogue_->text(*scene) ? catalogue_->text(*scene)->hash : "";
  return said;
}

}  // namespace warpscope
