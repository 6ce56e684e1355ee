// workbench/workspace/session/user_baselines.cpp: the named baselines of a person, kept in a file
// from one start of the window to the next.
#include "workbench/workspace/session/user_baselines.h"

#include <algorithm>
#include <utility>

#include "profiling/session/session.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

using Shared = std::shared_ptr<const NamedBaseline>;

// Puts a baseline in the place of the one with its id, or at the end.
void put(std::vector<Shared>& all, Shared baseline) {
  const auto same = std::find_if(all.begin(), all.end(),
                                 [&](const Shared& each) { return each->id == baseline->id; });
  if (same == all.end()) {
    all.push_back(std::move(baseline));
  } else {
    *same = std::move(baseline);
  }
}

}  // namespace

std::filesystem::path user_baselines_path() {
  const auto data = user_folder("XDG_DATA_HOME", std::filesystem::path(".local") / "share");
  return data ? *data / product_name() / "baselines.wsj" : std::filesystem::path();
}

Result<void> UserBaselines::begin(const std::filesystem::path& path,
                                  const std::shared_ptr<Catalogue>& catalogue) {
  if (path.empty()) return {};
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) {
    const Result<SessionReading> reading = read_sessions({path}, {.catalogue = catalogue});
    if (!reading) return tl::unexpected(reading.error());
    for (const NamedBaseline* baseline : reading->session.outcomes().baselines())
      kept_.all.push_back(std::make_shared<const NamedBaseline>(*baseline));
  }
  path_ = path;
  catalogue_ = catalogue;
  return {};
}

NamedBaselines UserBaselines::beside(const NamedBaselines& of_session) {
  NamedBaselines all = of_session;
  for (const Shared& each : kept_.all) put(all.all, each);
  seen_ = all;
  return all;
}

void UserBaselines::follow(const NamedBaselines& baselines) {
  std::vector<NamedBaseline> changes = changes_between(seen_, baselines);
  seen_ = baselines;
  if (path_.empty()) return;
  // What only the session has is not removed from the person's file.
  std::erase_if(changes, [this](const NamedBaseline& change) {
    return change.removed && find_baseline(kept_, change.id) == nullptr;
  });
  if (changes.empty()) return;
  if (const Result<void> written = append(changes); !written) {
    log_.notify("baselines are not kept for the next start: " + sentence(written.error()));
    path_.clear();
    return;
  }
  for (const NamedBaseline& change : changes) {
    if (change.removed) {
      std::erase_if(kept_.all, [&](const Shared& each) { return each->id == change.id; });
      continue;
    }
    const auto now = std::find_if(baselines.all.begin(), baselines.all.end(),
                                  [&](const Shared& each) { return each->id == change.id; });
    put(kept_.all, *now);
  }
}

Result<void> UserBaselines::append(const std::vector<NamedBaseline>& changes) {
  std::error_code failed;
  std::filesystem::create_directories(path_.parent_path(), failed);
  Result<SessionFile> file = SessionFile::open(path_, catalogue_);
  if (!file) return tl::unexpected(file.error());
  for (const NamedBaseline& change : changes) {
    if (Result<void> written = file->append(change); !written) return written;
  }
  return {};
}

}  // namespace warpscope
