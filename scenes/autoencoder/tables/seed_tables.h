// scenes/autoencoder/tables/seed_tables.h: the tables that the published article left empty.
#pragma once

#include <string>
#include <vector>

#include "scenes/article_table.h"

namespace warpscope::autoencoder {

// Traffic and workspace; occupancy, times and targets; the checklist; and what goes beyond the
// published levels.
std::vector<ArticleTable> seed_tables();

std::vector<ArticleTable> traffic_tables();  // in traffic_tables.cpp
std::vector<ArticleTable> time_tables();     // in time_tables.cpp
std::vector<ArticleTable> beyond_tables();   // in beyond_tables.cpp

// The three published levels on the GPU, and the rows that stand for them.
struct SeedLevel {
  std::string title;             // "Naive"
  std::string layer, step;       // variants of part conv and of part step
  std::string pool, upsampling;  // of their parts; empty: there is no row of its own
};
const std::vector<SeedLevel>& seed_levels();

inline constexpr double kBytesOfMib = 1024 * 1024;
// "64.78"; three decimals below 1.
std::string mib_text(double bytes);

}  // namespace warpscope::autoencoder
