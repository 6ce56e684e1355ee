// profiling/tuning/choice_memory.h: what timed candidates of automatic rows took on this user's
// devices.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/choice/picked_row.h"
#include "scenes/host/cache.h"

// One file per device and workload, in the cache's folder “choices”. Files are written whole and
// renamed, so that two processes cannot mix theirs. The cache removes the files that were not used
// for longest.
//
//   ChoiceMemory memory;
//   if (auto known = memory.recall(key)) …
//   CacheTurn turn = memory.turn(key);     // another process may time the same: ask again
//   memory.keep(key, {picked, finished});

namespace warpscope {

// Where times are valid. Another driver, another input or edited candidates are another place.
struct ChoicePlace {
  std::string device;  // its name
  int compute_capability = 0;
  std::string driver;
  std::string scene, row;  // the automatic row
  std::string problem;     // problem_key
  std::map<std::string, double> facts;
  std::string candidates;  // rows with their code, as one text
};
std::string to_text(const ChoicePlace& place);

struct KnownChoice {
  std::vector<TriedRow> tried;
  // False: one of `tried` ended the process that timed it, and the others are still to be timed.
  bool finished = true;
};

class ChoiceMemory {
 public:
  static constexpr std::int64_t kMostBytes = 4 << 20;  // of all files
  // Without a cache, what it is told is known until it ends; a note says why at the first question.
  ChoiceMemory();

  // A file that cannot be read is renamed to NAME.damaged, and a note says so.
  std::optional<KnownChoice> recall(const ChoicePlace& place);
  void keep(const ChoicePlace& place, const KnownChoice& choice);
  // Other processes wait before they time the same.
  CacheTurn turn(const ChoicePlace& place) const;
  // Sentences for the person, each once.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  std::optional<Cache> cache_;
  std::map<std::string, KnownChoice> known_;  // by the place's text
  std::string refusal_;                       // why there is no cache, until it is said
  std::vector<std::string> notes_;
};

}  // namespace warpscope
