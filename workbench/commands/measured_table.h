// workbench/commands/measured_table.h: measured points on standard output, below their roofs;
// verdicts.
#pragma once

#include <string>

#include "profiling/session/session.h"

namespace warpscope {

// The sentence of a verdict; of a text that does not compile or launch with what to do.
std::string with_remedy(const Verdict& verdict);

// Why no roof is named, with what is to be asked for as the command line asks for it.
std::string as_option(std::string why);

// Words padded by what is seen: “µ” and “×” are one column but two bytes. A name from a session
// keeps to its cell.
std::string padded(const std::string& words, std::size_t width);

// A table a problem and device; below them why a roof is not named.
void print_table(const Session& session);

// One row per verdict, with the values of the axes that differ between the rows.
void print_verdicts(const Session& session, const std::string& where);

// A point above a roof of its device is an error until it is explained.
bool is_above_a_roof(const Session& session);

}  // namespace warpscope
