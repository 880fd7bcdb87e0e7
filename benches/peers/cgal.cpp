// Planes by CGAL: Efficient RANSAC (Schnabel 2007) or region growing, on normals by PCA.
//
//   cgal ransac|growing IN.ply OUT.npy epsilon=0.015 angle=25 min=50 cluster=0.1 neighbours=18
//
// IN.ply is binary little-endian with x, y, z as double or float; OUT.npy receives the plane of each point, -1
// for none. Lengths are in the cloud's unit, `angle` in degrees. `cluster` is the spacing of the grid on
// which RANSAC tests whether a shape is connected (cluster=-3: three hundredths of the diagonal), and
// the radius in which growing looks for neighbours; with cluster=0 growing takes the nearest
// `neighbours`. The seed is fixed.

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Shape_detection/Efficient_RANSAC.h>
#include <CGAL/Shape_detection/Region_growing/Region_growing.h>
#include <CGAL/Shape_detection/Region_growing/Region_growing_on_point_set.h>
#include <CGAL/pca_estimate_normals.h>
#include <CGAL/property_map.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
// Point, normal, and its number in the file: RANSAC puts the points in another order.
using Oriented = std::tuple<Point, Kernel::Vector_3, std::size_t>;
using Cloud = std::vector<Oriented>;
using Points = CGAL::Nth_of_tuple_property_map<0, Oriented>;
using Normals = CGAL::Nth_of_tuple_property_map<1, Oriented>;
using Labels = std::vector<std::int32_t>;
using Options = std::map<std::string, double>;

namespace shapes = CGAL::Shape_detection;

// Reads the points, less the first of them: survey coordinates have no digits to spare.
static Cloud read_ply(const std::string& path) {
    static const std::map<std::string, std::size_t> sizes = {
        {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2},
        {"int", 4},  {"uint", 4},  {"float", 4}, {"double", 8}};
    std::ifstream in(path, std::ios::binary);
    std::string line, word;
    std::size_t count = 0, record = 0, found = 0, at[3] = {0, 0, 0};
    bool vertices = false, binary = false, wide = true;
    while (std::getline(in, line) && line != "end_header") {
        std::istringstream words(line);
        words >> word;
        if (word == "format") {
            words >> word;
            binary = word == "binary_little_endian";
        } else if (word == "element") {
            words >> word;
            vertices = word == "vertex";
            if (vertices) words >> count;
        } else if (word == "property" && vertices) {
            std::string type, name;
            words >> type >> name;
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (name == std::string(1, "xyz"[axis]) && (type == "double" || type == "float")) {
                    at[axis] = record;
                    wide = type == "double";
                    ++found;
                }
            record += sizes.at(type);
        }
    }
    if (!binary || found != 3) throw std::runtime_error(path + ": not a binary PLY");
    std::vector<char> bytes(count * record);
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw std::runtime_error(path + ": ends early");
    Cloud cloud;
    cloud.reserve(count);
    double first[3] = {0, 0, 0};
    for (std::size_t i = 0; i < count; ++i) {
        double p[3];
        for (int axis = 0; axis < 3; ++axis) {
            const char* from = &bytes[i * record + at[axis]];
            float narrow = 0;
            std::memcpy(wide ? static_cast<void*>(&p[axis]) : &narrow, from, wide ? 8 : 4);
            if (!wide) p[axis] = narrow;
        }
        if (i == 0) std::memcpy(first, p, sizeof first);
        cloud.emplace_back(Point(p[0] - first[0], p[1] - first[1], p[2] - first[2]),
                           Kernel::Vector_3(), i);
    }
    return cloud;
}

static void write_npy(const std::string& path, const Labels& labels) {
    std::string head = "{'descr': '<i4', 'fortran_order': False, 'shape': (" +
                       std::to_string(labels.size()) + ",), }";
    head.resize(117, ' ');
    head += '\n';
    std::ofstream out(path, std::ios::binary);
    out.write("\x93NUMPY\x01\x00\x76\x00", 10);
    out << head;
    out.write(reinterpret_cast<const char*>(labels.data()),
              static_cast<std::streamsize>(labels.size() * sizeof labels[0]));
    if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

static double diagonal(const Cloud& cloud) {
    CGAL::Bbox_3 box;
    for (const auto& oriented : cloud) box += std::get<0>(oriented).bbox();
    return std::hypot(box.x_span(), box.y_span(), box.z_span());
}

static Labels ransac(Cloud& cloud, const Options& options) {
    using Traits = shapes::Efficient_RANSAC_traits<Kernel, Cloud, Points, Normals>;
    using Ransac = shapes::Efficient_RANSAC<Traits>;
    CGAL::get_default_random() = CGAL::Random(1);
    Ransac search;
    search.set_input(cloud);
    search.add_shape_factory<shapes::Plane<Traits>>();
    Ransac::Parameters parameters;
    parameters.probability = 0.01;
    parameters.min_points = static_cast<std::size_t>(options.at("min"));
    parameters.epsilon = options.at("epsilon");
    const double cluster = options.at("cluster");
    parameters.cluster_epsilon = cluster < 0 ? -cluster / 100 * diagonal(cloud) : cluster;
    parameters.normal_threshold = std::cos(options.at("angle") * CGAL_PI / 180);
    search.detect(parameters);
    Labels labels(cloud.size(), -1);
    std::int32_t id = 0;
    for (const auto& shape : search.shapes()) {
        for (std::size_t i : shape->indices_of_assigned_points())
            labels[std::get<2>(cloud[i])] = id;
        ++id;
    }
    return labels;
}

template <class Query>
static Labels grow(const Cloud& cloud, Query& query, const Options& options) {
    using Region = shapes::Point_set::Least_squares_plane_fit_region<Kernel, Cloud, Points, Normals>;
    using Sorting = shapes::Point_set::Least_squares_plane_fit_sorting<Kernel, Cloud, Query, Points>;
    Region region(cloud, options.at("epsilon"), options.at("angle"),
                  static_cast<std::size_t>(options.at("min")));
    Sorting sorting(cloud, query);
    sorting.sort();
    auto seeds = sorting.seed_map();
    shapes::Region_growing<Cloud, Query, Region, decltype(seeds)> growing(cloud, query, region,
                                                                          seeds);
    std::vector<std::vector<std::size_t>> regions;
    growing.detect(std::back_inserter(regions));
    Labels labels(cloud.size(), -1);
    for (std::size_t id = 0; id < regions.size(); ++id)
        for (std::size_t i : regions[id])
            labels[std::get<2>(cloud[i])] = static_cast<std::int32_t>(id);
    return labels;
}

static Labels growing(const Cloud& cloud, const Options& options) {
    using Sphere = shapes::Point_set::Sphere_neighbor_query<Kernel, Cloud, Points>;
    using Nearest = shapes::Point_set::K_neighbor_query<Kernel, Cloud, Points>;
    if (options.at("cluster") > 0) {
        Sphere query(cloud, options.at("cluster"));
        return grow(cloud, query, options);
    }
    Nearest query(cloud, static_cast<std::size_t>(options.at("neighbours")));
    return grow(cloud, query, options);
}

static int run(int count, char** arguments) {
    if (count < 4) throw std::runtime_error("usage: cgal ransac|growing IN.ply OUT.npy NAME=VALUE…");
    const std::string method = arguments[1];
    Options options = {{"angle", 25}, {"min", 50}, {"cluster", 0}, {"neighbours", 18}};
    for (int i = 4; i < count; ++i) {
        const std::string option = arguments[i];
        const auto equals = option.find('=');
        if (equals == std::string::npos) throw std::runtime_error(option + ": not NAME=VALUE");
        options[option.substr(0, equals)] = std::stod(option.substr(equals + 1));
    }
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::time_point from) {
        return std::chrono::duration<double>(Clock::now() - from).count();
    };
    const auto start = Clock::now();
    Cloud cloud = read_ply(arguments[2]);
    const auto read = seconds(start);
    CGAL::pca_estimate_normals<CGAL::Parallel_if_available_tag>(
        cloud, static_cast<unsigned>(options.at("neighbours")),
        CGAL::parameters::point_map(Points()).normal_map(Normals()));
    const auto normals = seconds(start) - read;
    Labels labels;
    if (method == "ransac")
        labels = ransac(cloud, options);
    else if (method == "growing")
        labels = growing(cloud, options);
    else
        throw std::runtime_error(method + ": no such method");
    std::cerr << "read " << read << " s, normals " << normals << " s, planes "
              << seconds(start) - read - normals << " s\n";
    write_npy(arguments[3], labels);
    return 0;
}

int main(int count, char** arguments) {
    try {
        return run(count, arguments);
    } catch (const std::exception& error) {
        std::cerr << "cgal: " << error.what() << '\n';
        return 2;
    }
}
