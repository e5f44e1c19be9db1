#include "core/problem/formats/vrplib/vrplib_allowed.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/problem/formats/text/writer_support.h"

namespace vrp {
namespace {

using SkillSet = std::set<std::string_view>;

// Returns one skill for each distinct set of customers.
std::map<std::vector<int32_t>, std::string> SkillsOfSets(const VrplibLists& allowed) {
  std::map<std::vector<int32_t>, std::string> skills;
  for (size_t vehicle = 0; vehicle < allowed.rows.size(); ++vehicle) {
    skills.emplace(allowed.rows[vehicle], Concat("other than vehicle ", vehicle + 1));
  }
  return skills;
}

// Returns the customers, in ascending order, that a vehicle with `skills` may serve.
std::vector<NodeIndex> CustomersFor(const InstanceData& data, const SkillSet& skills) {
  std::vector<NodeIndex> customers;
  const auto nodes = static_cast<NodeIndex>(data.ids.size());
  for (NodeIndex node = data.num_depots; node < nodes; ++node) {
    const bool is_allowed =
        data.required_skills.empty() ||
        std::all_of(data.required_skills[static_cast<size_t>(node)].begin(),
                    data.required_skills[static_cast<size_t>(node)].end(),
                    [&](const std::string& skill) { return skills.contains(skill); });
    if (is_allowed) customers.push_back(node);
  }
  return customers;
}

}  // namespace

size_t CountSets(const VrplibLists& allowed) { return SkillsOfSets(allowed).size(); }

void AddSkillsOfVehicles(const VrplibLists& allowed, std::vector<VehicleType>& fleet) {
  const auto skills = SkillsOfSets(allowed);
  for (size_t k = 0; k < fleet.size(); ++k) {
    for (const auto& [customers, skill] : skills) {
      if (customers != allowed.rows[k]) fleet[k].skills.push_back(skill);
    }
  }
}

void AddSkillsOfCustomers(const VrplibLists& allowed, const std::vector<double>& depots,
                          InstanceData& data) {
  const size_t nodes = data.required_skills.size();
  std::vector<bool> is_allowed(nodes);
  for (const auto& [customers, skill] : SkillsOfSets(allowed)) {
    std::fill(is_allowed.begin(), is_allowed.end(), false);
    for (const int32_t number : customers) is_allowed[static_cast<size_t>(number - 1)] = true;
    for (const double depot : depots) is_allowed[static_cast<size_t>(depot) - 1] = true;
    for (size_t node = 0; node < nodes; ++node) {
      if (!is_allowed[node]) data.required_skills[node].push_back(skill);
    }
  }
}

absl::StatusOr<AllowedCustomers> TakeAllowedCustomers(InstanceData& data) {
  SkillSet required;
  for (const auto& skills : data.required_skills) required.insert(skills.begin(), skills.end());
  AllowedCustomers allowed;
  std::map<SkillSet, size_t> set_of_skills;
  std::map<std::vector<NodeIndex>, size_t> set_of_customers;
  for (const VehicleType& vehicle : data.vehicles) {
    SkillSet useful;
    for (const std::string& skill : vehicle.skills) {
      if (required.contains(skill)) useful.insert(skill);
    }
    const auto [entry, added] = set_of_skills.emplace(std::move(useful), 0);
    if (added) {
      if (set_of_skills.size() > kMaxVrplibSets) {
        return CannotExpress(Concat("vehicles: have more than ", kMaxVrplibSets, " sets of skills"),
                             kVrplibFormat);
      }
      entry->second =
          set_of_customers.emplace(CustomersFor(data, entry->first), set_of_customers.size())
              .first->second;
    }
    allowed.set_of_type.push_back(entry->second);
  }
  allowed.sets.resize(set_of_customers.size());
  for (const auto& [customers, set] : set_of_customers) allowed.sets[set] = customers;
  data.required_skills.clear();
  for (VehicleType& vehicle : data.vehicles) vehicle.skills.clear();
  return allowed;
}

}  // namespace vrp
