// profiling/emulator/hangs/hang_story.cpp: what blocks that hang wait for, put together over a
// launch.
#include "profiling/emulator/hangs/hang_story.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "profiling/emulator/hangs/hang_notes.h"
#include "profiling/emulator/hangs/possible_stores.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostAbsent = 16;  // of a row

bool has_warp(const WaitingWarps& row, int warp) {
  return std::find(row.warps.begin(), row.warps.end(), warp) != row.warps.end();
}

// Absent warps of a block wait in a row where one has their place.
void link(std::vector<HangNote>& notes) {
  for (HangNote& note : notes) {
    for (std::size_t k = 0; k < note.row.absent.size(); ++k) {
      AbsentWarps& absent = note.row.absent[k];
      if (absent.ended || k >= note.absent_pcs.size()) continue;
      const auto take = [&](const auto& fits) {
        for (std::size_t other = 0; other < notes.size() && absent.wait < 0; ++other) {
          const WaitingWarps& row = notes[other].row;
          if (row.block != absent.block || !has_warp(row, absent.warps.front())) continue;
          if (!fits(notes[other])) continue;
          absent.wait = static_cast<int>(other);
          absent.position = row.position;
        }
      };
      take([&](const HangNote& to) { return to.pc == note.absent_pcs[k]; });
      // Lanes that loop may stand anywhere in their loop.
      take([&](const HangNote& to) {
        return absent.lanes == 0 &&
               (to.row.kind == WaitKind::flag || to.row.kind == WaitKind::values);
      });
    }
  }
}

// Who last wrote a flag, as "block 3, warp 0 at line 12".
std::string writer_of(const Worker& worker, const HangNote& note) {
  const RunShared& run = *worker.run;
  if (note.in_shared) return note.row.writer;
  if (run.races == nullptr) return {};
  const MemoryBuffer* const buffer = run.memory->find(note.address);
  if (buffer == nullptr || !run.races->tracks(*buffer)) return {};
  const auto writer = run.races->last_writer(*buffer, note.address - buffer->address);
  if (!writer) return "nobody";
  // A polling atomic counts as a writer too, so the writer before it is not known.
  if (writer->source == note.source) return {};
  return "block " + std::to_string(writer->block) + ", warp " + std::to_string(writer->warp) +
         " at line " + std::to_string(worker.kernel->sources[writer->source].position.line);
}

// The warps that would store to a flag, were they to go on; they wait in other rows, or have ended.
void find_storers(const Worker& worker, std::vector<HangNote>& notes, std::size_t at,
                  const std::vector<StorePlace>& places) {
  HangNote& note = notes[at];
  for (const StorePlace& place : places) {
    // It must be known whose store it would be: a circular wait is not reported on a guess.
    if (place.store.block < 0) continue;
    bool waits = false;
    for (std::size_t k = 0; k < notes.size(); ++k) {
      const WaitingWarps& row = notes[k].row;
      if (row.block != place.store.block) continue;
      if (place.store.warp >= 0 && !has_warp(row, place.store.warp)) continue;
      if (note.in_shared && row.block != note.row.block) continue;
      // If any warp may be the storer, each warp also waits for itself, which says nothing.
      if (k == at && place.store.warp < 0) continue;
      if (!reaches(*worker.kernel, notes[k].pc,
                   [&](const Instruction& i) { return &i == &worker.kernel->code[place.pc]; })) {
        continue;
      }
      waits = true;
      AbsentWarps absent{row.block, row.warps, 0, false, row.position, static_cast<int>(k)};
      if (place.store.warp >= 0) absent.warps = {place.store.warp};
      const bool known = std::any_of(
          note.row.absent.begin(), note.row.absent.end(),
          [&](const AbsentWarps& a) { return a.wait == absent.wait && a.warps == absent.warps; });
      if (!known && note.row.absent.size() < kMostAbsent) note.row.absent.push_back(absent);
    }
    // It is known whose store it is, and that block waits nowhere before it.
    if (!waits && place.store.executed == 0) {
      AbsentWarps absent{place.store.block, {}, 0, true, place.store.position, -1};
      if (place.store.warp >= 0) absent.warps = {place.store.warp};
      if (note.row.absent.size() < kMostAbsent) note.row.absent.push_back(absent);
    }
  }
}

// A path from a row along "waits for warps of that row" that comes back to where it was.
bool find_circle(const std::vector<WaitingWarps>& waits, int at, std::vector<int>& path,
                 std::vector<char>& done, std::vector<int>& circle) {
  const auto known = std::find(path.begin(), path.end(), at);
  if (known != path.end()) {
    circle.assign(known, path.end());
    return true;
  }
  if (done[static_cast<std::size_t>(at)] != 0) return false;
  done[static_cast<std::size_t>(at)] = 1;
  path.push_back(at);
  for (const AbsentWarps& absent : waits[static_cast<std::size_t>(at)].absent) {
    if (absent.wait >= 0 && find_circle(waits, absent.wait, path, done, circle)) return true;
  }
  path.pop_back();
  return false;
}

// The row that the others wait for in the end, first; rows that it moves keep their links.
void put_first(HangStory& story, int first) {
  const auto moved = [first](int row) {
    return row < 0 ? row : row == first ? 0 : row < first ? row + 1 : row;
  };
  std::rotate(story.waits.begin(), story.waits.begin() + first, story.waits.begin() + first + 1);
  for (WaitingWarps& row : story.waits) {
    for (AbsentWarps& absent : row.absent) absent.wait = moved(absent.wait);
  }
  for (int& row : story.circle) row = moved(row);
}

void order(HangStory& story) {
  std::vector<char> done(story.waits.size(), 0);
  for (int row = 0; row < static_cast<int>(story.waits.size()) && story.circle.empty(); ++row) {
    std::vector<int> path;
    find_circle(story.waits, row, path, done, story.circle);
  }
  if (!story.circle.empty()) return put_first(story, story.circle.front());
  // Without a circle, the chain from any row ends at one that does not wait for a waiting row.
  int at = 0;
  for (bool further = true; further;) {
    further = false;
    for (const AbsentWarps& absent : story.waits[static_cast<std::size_t>(at)].absent) {
      if (absent.wait < 0 || absent.wait == at) continue;
      at = absent.wait;
      further = true;
      break;
    }
  }
  put_first(story, at);
}

}  // namespace

std::optional<HangStory> hang_story(std::vector<Worker>& workers) {
  std::vector<HangNote> notes;
  HangStory story;
  for (Worker& worker : workers) {
    std::move(worker.hang.begin(), worker.hang.end(), std::back_inserter(notes));
    worker.hang.clear();
    story.blocks += worker.hung_blocks;
  }
  if (notes.empty()) return std::nullopt;
  std::stable_sort(notes.begin(), notes.end(),
                   [](const HangNote& a, const HangNote& b) { return a.row.block < b.row.block; });
  const Worker& worker = workers.front();
  std::vector<std::int64_t> executed(worker.kernel->code.size(), 0);
  for (const Worker& w : workers) {
    std::transform(executed.begin(), executed.end(), w.executed.begin(), executed.begin(),
                   std::plus<>());
  }
  link(notes);
  for (std::size_t k = 0; k < notes.size(); ++k) {
    if (notes[k].row.kind != WaitKind::flag) continue;
    const std::vector<StorePlace> places = possible_stores(worker, notes[k], executed);
    for (const StorePlace& place : places) notes[k].row.stores.push_back(place.store);
    notes[k].row.writer = writer_of(worker, notes[k]);
    find_storers(worker, notes, k, places);
  }
  for (HangNote& note : notes) story.waits.push_back(std::move(note.row));
  order(story);
  tell(story);
  return story;
}

}  // namespace warpscope
