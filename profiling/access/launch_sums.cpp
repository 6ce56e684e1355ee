// profiling/access/launch_sums.cpp: what the memory instructions of a launch add up to, and its
// figures.
#include "profiling/access/launch_sums.h"

namespace warpscope {
namespace {

double of(std::int64_t value) { return static_cast<double>(value); }

constexpr EmulatedFigure kFigures[] = {
    {"l1.sectors_load", [](const LaunchSums& s) { return of(s.load.sectors); }},
    {"l1.requests_load", [](const LaunchSums& s) { return of(s.load.requests); }},
    {"l1.sectors_per_request_load", [](const LaunchSums& s) { return of(s.load.sectors); },
     [](const LaunchSums& s) { return of(s.load.requests); }, "l1.requests_load",
     "the kernel loads nothing from global memory"},
    {"l1.sectors_store", [](const LaunchSums& s) { return of(s.store.sectors); }},
    {"l1.requests_store", [](const LaunchSums& s) { return of(s.store.requests); }},
    {"l1.sectors_per_request_store", [](const LaunchSums& s) { return of(s.store.sectors); },
     [](const LaunchSums& s) { return of(s.store.requests); }, "l1.requests_store",
     "the kernel stores nothing to global memory"},
    {"shared.wavefronts_load", [](const LaunchSums& s) { return of(s.shared_load.wavefronts); }},
    {"shared.wavefronts_store", [](const LaunchSums& s) { return of(s.shared_store.wavefronts); }},
    {"shared.bank_conflicts",
     [](const LaunchSums& s) {
       return of(s.shared_load.wavefronts - s.shared_load.ideal_wavefronts +
                 s.shared_store.wavefronts - s.shared_store.ideal_wavefronts);
     }},
    {"shared.wavefronts_gmma", [](const LaunchSums& s) { return of(s.product_read.wavefronts); }},
    {"remote.requests_load",
     [](const LaunchSums& s) { return of(s.shared_load.remote_requests()); }},
    {"remote.sectors_load", [](const LaunchSums& s) { return of(s.shared_load.remote_sectors()); }},
    {"remote.requests_store",
     [](const LaunchSums& s) { return of(s.shared_store.remote_requests()); }},
    {"remote.sectors_store",
     [](const LaunchSums& s) { return of(s.shared_store.remote_sectors()); }},
    {kUniqueSectorsFigure, [](const LaunchSums& s) { return of(s.store.sectors + s.passing); }},
    {"l2.asked_sectors",
     [](const LaunchSums& s) { return of(s.load.sectors + s.store.sectors + s.passing); }},
    {"inst.executed", [](const LaunchSums& s) { return of(s.instructions); }},
    {"inst.lanes", [](const LaunchSums& s) { return of(s.threads); },
     [](const LaunchSums& s) { return of(s.instructions); }, "inst.executed",
     "no instruction was executed"},
};

}  // namespace

void LaunchSums::add(Space space, AccessKind kind, const AccessTotals& totals) {
  const bool in = kind == AccessKind::load || kind == AccessKind::matrix_load;
  const bool out = kind == AccessKind::store || kind == AccessKind::matrix_store;
  const bool copy = kind == AccessKind::async_copy;
  const bool passes = kind == AccessKind::atomic || kind == AccessKind::reduction || is_bulk(kind);
  if (space == Space::global && (in || copy)) load += totals;
  if (space == Space::global && out) store += totals;
  if (space == Space::global && passes) passing += totals.sectors;
  if (space == Space::shared && in) shared_load += totals;
  if (space == Space::shared && out) shared_store += totals;
  if (kind == AccessKind::product_read) product_read += totals;
}

LaunchSums& LaunchSums::operator+=(const LaunchSums& other) {
  load += other.load;
  store += other.store;
  shared_load += other.shared_load;
  shared_store += other.shared_store;
  product_read += other.product_read;
  passing += other.passing;
  instructions += other.instructions;
  threads += other.threads;
  return *this;
}

std::span<const EmulatedFigure> emulated_figures() { return kFigures; }

std::optional<double> value_of(const EmulatedFigure& figure, const LaunchSums& sums) {
  if (figure.whole == nullptr) return figure.part(sums);
  const double whole = figure.whole(sums);
  return whole == 0 ? std::nullopt : std::optional(figure.part(sums) / whole);
}

}  // namespace warpscope
