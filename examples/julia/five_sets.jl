# The same work as the five_sets programs in C, Rust, Python and R, and the same output, bit by bit: see ../README.md.
# The argument is the folder of the data files. THIS HAS NOT BEEN RUN: where it was written there was no Julia.
#
#     julia five_sets.jl ../../tests/data
include("Freeridge.jl")
using .Freeridge

const sets = [("norris", true), ("longley", true), ("diabetes", false), ("concrete", false), ("sonar", false)]
const grid = [1e-3, 1e-2, 1e-1, 1.0, 10.0]

# x and y of every second row of a file from the row `first` on; the response is its first column or its last.
function half(path, response_first, first)
    lines = readlines(path)[2:end]
    table = permutedims(reduce(hcat, [parse.(Float64, split(line, ",")) for line in lines]))
    rows = table[first:2:end, :]
    response_first ? (rows[:, 2:end], rows[:, 1]) : (rows[:, 1:end-1], rows[:, end])
end

# The bits of each number.
function show_bits(set, name, what, values)
    bits = [string(reinterpret(UInt64, value), base = 16, pad = 16) for value in vec(values)]
    println(join([set, name, what, bits...], " "))
end

set_threads(1)  # with one thread equal calls give equal bits
cases = [("linear", linear(), PRIMAL), ("gaussian", gaussian(1.0), SPECTRAL),
         ("sum", weighted_sum([linear(), matern(1.5, 1.0)], [0.5, 1.0]), CHOLESKY),
         ("laplacian", laplacian(1.0), BAND), ("polynomial", polynomial(2, 1.0, 1.0), LANDMARK)]
for (set, response_first) in sets
    path = joinpath(ARGS[1], set * ".csv")
    x, y = half(path, response_first, 1)
    new_x, _ = half(path, response_first, 2)
    n, d = size(x)
    scale = vec(maximum(abs, x, dims = 1))
    for (name, kernel, route) in cases
        landmarks = route == LANDMARK ? (n + 3) ÷ 4 : 0
        model = Model(scaled(kernel, scale), x, y, route = route, landmarks = landmarks)
        show_bits(set, name, "scores", score(model, LOO, grid))
        show_bits(set, name, "choice", vcat(select_lambda!(model, LOO, 1e-4, 100.0)...))
        show_bits(set, name, "loo", loo(model))
        show_bits(set, name, "coefficients", route == PRIMAL ? hyperplane(model) : coefficients(model))
        show_bits(set, name, "intercept", intercept(model))
        show_bits(set, name, "predictions", predict(model, new_x))
    end

    rows = Accumulator(d)
    for first in 1:7:n
        chunk = first:min(first + 6, n)
        add!(rows, x[chunk, :], y[chunk])
    end
    show_bits(set, "accumulator", "scores", score(rows, GCV, grid))
    w, b = solve(rows, grid[3:3])
    show_bits(set, "accumulator", "coefficients", w)
    show_bits(set, "accumulator", "intercept", b)
end
