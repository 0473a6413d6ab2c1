# Ridge and kernel ridge regression in which one factorization is paid for, and every lambda and exact leave-one-out
# errors are nearly free after it: the C library freeridge by ccall. Needs nothing but Julia and the shared library,
# which FREERIDGE_LIBRARY in the environment names, or which the system's loader finds.
#
#     include("Freeridge.jl"); using .Freeridge
#     model = Model(gaussian(1.5), x, y)            # x: n x d, y: n or n x t; factorized
#     chosen, score = select_lambda!(model, LOO)
#     predict(model, new_x), loo(model)
#
# THIS HAS NOT BEEN RUN: where it was written there was no Julia. A test checks the number of arguments of each call.
module Freeridge

export Kernel, linear, polynomial, gaussian, laplacian, matern, weighted_sum, scaled
export Model, factorize!, set_lambda!, select_lambda!, score, loo, coefficients, hyperplane, intercept, predict
export Accumulator, add!, solve, set_threads, FreeridgeError
export AUTO, CHOLESKY, SPECTRAL, BAND, PRIMAL, LANDMARK, LOO, GCV, REML

const library = get(ENV, "FREERIDGE_LIBRARY", "libfreeridge")

include("calls.jl")

const AUTO, CHOLESKY, SPECTRAL = FREERIDGE_ROUTE_AUTO, FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL
const BAND, PRIMAL, LANDMARK = FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_LANDMARK
const LOO, GCV, REML = FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML

struct FreeridgeError <: Exception
    status::Int32
    name::String
    message::String
end
Base.showerror(io::IO, error::FreeridgeError) = print(io, error.name, ": ", error.message)

# Turns a status into an exception. The message belongs to the thread, so this comes right after the call.
function check(status::Int32)
    status == FREERIDGE_OK && return nothing
    name = unsafe_string(freeridge_status_name(status))
    throw(FreeridgeError(status, name, unsafe_string(freeridge_last_error())))
end

# Kernels

mutable struct Kernel
    handle::Ptr{freeridge_kernel}
    function Kernel(make)
        handle = Ref{Ptr{freeridge_kernel}}(C_NULL)
        check(make(handle))
        finalizer(kernel -> freeridge_kernel_destroy(kernel.handle), new(handle[]))
    end
end
# A Kernel stands for its pointer in the calls, and lives as long as they run.
Base.unsafe_convert(::Type{Ptr{freeridge_kernel}}, kernel::Kernel) = kernel.handle

linear() = Kernel(freeridge_kernel_linear)
polynomial(degree, scale, offset) = Kernel(out -> freeridge_kernel_polynomial(degree, scale, offset, out))
gaussian(sigma) = Kernel(out -> freeridge_kernel_gaussian(sigma, out))
laplacian(sigma) = Kernel(out -> freeridge_kernel_laplacian(sigma, out))
matern(nu, length) = Kernel(out -> freeridge_kernel_matern(nu, length, out))

function weighted_sum(terms::Vector{Kernel}, weights::Vector{Float64})
    length(terms) == length(weights) || throw(DimensionMismatch("as many weights as terms"))
    GC.@preserve terms begin
        handles = [term.handle for term in terms]
        Kernel(out -> freeridge_kernel_sum(handles, weights, length(handles), out))
    end
end

scaled(kernel::Kernel, scale::Vector{Float64}) =
    Kernel(out -> freeridge_kernel_scaled(kernel, length(scale), scale, out))

# Models

# A matrix as the library takes it: column-major, Julia's own layout.
columns(a::StridedMatrix{Float64}) = stride(a, 1) == 1 && stride(a, 2) >= size(a, 1) ? a : Matrix(a)
columns(a::AbstractMatrix) = Matrix{Float64}(a)
columns(a::AbstractVector) = reshape(Vector{Float64}(a), :, 1)

mutable struct Progress
    callback::Any
    error::Any
end

mutable struct Model
    handle::Ptr{freeridge_model}
    n::Int
    d::Int
    t::Int
    data::Any      # what the library borrows
    progress::Any  # what its callback gets
end
Base.unsafe_convert(::Type{Ptr{freeridge_model}}, model::Model) = model.handle

# The library calls this. No exception may cross it: it cancels the call, and is thrown after it.
function report(fraction::Float64, user::Ptr{Cvoid})::Int32
    progress = unsafe_pointer_to_objref(user)::Progress
    try
        return progress.callback(fraction) === true ? Int32(1) : Int32(0)
    catch error
        progress.error = error
        return Int32(1)
    end
end

# A call that may report progress.
function long(model::Model, status::Int32)
    progress = model.progress
    if progress !== nothing && progress.error !== nothing
        error, progress.error = progress.error, nothing
        throw(error)
    end
    check(status)
end

# As the library takes rows, one for each of x, which must be preserved for as long.
points_of(x) = Ref(freeridge_points(sizeof(freeridge_points), size(x, 1), size(x, 2), FREERIDGE_COL_MAJOR, 0, pointer(x),
                                    stride(x, 2), C_NULL, C_NULL, C_NULL, C_NULL, C_NULL, 0, C_NULL, 0))

# Borrows x and y where they are Float64 and column-major. progress: a function of the fraction done; true cancels.
function Model(kernel::Kernel, x, y; weights = nothing, with_intercept = true, route = AUTO, landmarks = 0,
               progress = nothing, factorize = true)
    x, y = columns(x), columns(y)
    size(x, 1) == size(y, 1) || throw(DimensionMismatch("x and y have different numbers of rows"))
    handle = Ref{Ptr{freeridge_model}}(C_NULL)
    check(freeridge_create(kernel, handle))
    model = Model(handle[], size(x, 1), size(x, 2), size(y, 2), (x, y), nothing)
    finalizer(model -> freeridge_destroy(model.handle), model)
    ldy = stride(y, 2)
    GC.@preserve x begin
        points = points_of(x)
        check(freeridge_set_points(model, points, 1, FREERIDGE_COL_MAJOR, model.t, y, ldy))  # 1: borrowed
    end
    if weights !== nothing
        length(weights) == model.n || throw(DimensionMismatch("one weight for each row"))
        check(freeridge_set_weights(model, Vector{Float64}(weights)))
    end
    check(freeridge_set_parameter(model, FREERIDGE_INTERCEPT, with_intercept ? 1 : 0))
    check(freeridge_set_parameter(model, FREERIDGE_ROUTE, route))
    landmarks > 0 && check(freeridge_set_landmarks(model, landmarks, C_NULL))
    if progress !== nothing
        model.progress = Progress(progress, nothing)
        callback = @cfunction(report, Int32, (Float64, Ptr{Cvoid}))
        check(freeridge_set_progress(model, callback, pointer_from_objref(model.progress)))
    end
    factorize && factorize!(model)
    model
end

function factorize!(model::Model)
    long(model, freeridge_factorize(model))
    model
end

function set_lambda!(model::Model, lambda::Real)
    long(model, freeridge_set_lambda(model, lambda))
    model
end

# The best lambda of each output and its score; the model is fitted at it. 0, 0: the range that the data suggest.
function select_lambda!(model::Model, criterion, low = 0.0, high = 0.0)
    lambda, found = zeros(model.t), zeros(model.t)
    long(model, freeridge_select_lambda(model, criterion, low, high, lambda, found))
    lambda, found
end

function score(model::Model, criterion, lambdas::Vector{Float64})
    scores = zeros(length(lambdas), model.t)
    long(model, freeridge_score(model, criterion, length(lambdas), lambdas, scores, C_NULL, length(lambdas)))
    scores
end

# Exact leave-one-out errors, n x t.
function loo(model::Model)
    errors = zeros(model.n, model.t)
    long(model, freeridge_loo(model, errors, model.n))
    errors
end

function coefficients(model::Model)
    c = zeros(model.n, model.t)
    check(freeridge_coefficients(model, 0, C_NULL, c, model.n, C_NULL))
    c
end

function hyperplane(model::Model)
    w = zeros(model.d, model.t)
    check(freeridge_hyperplane(model, 0, C_NULL, w, model.d, C_NULL))
    w
end

function intercept(model::Model)
    b = zeros(model.t)
    check(freeridge_coefficients(model, 0, C_NULL, C_NULL, 0, b))
    b
end

function predict(model::Model, x)
    x = columns(x)
    size(x, 2) == model.d || throw(DimensionMismatch("x has not the columns of the model's data"))
    m = size(x, 1)
    out = zeros(m, model.t)
    long(model, freeridge_predict(model, FREERIDGE_COL_MAJOR, m, x, stride(x, 2), out, m))
    out
end

# Rows in chunks

mutable struct Accumulator
    handle::Ptr{freeridge_accumulator}
    d::Int
    t::Int
    function Accumulator(d, t = 1; with_intercept = true)
        handle = Ref{Ptr{freeridge_accumulator}}(C_NULL)
        check(freeridge_accumulator_create(d, t, with_intercept ? 1 : 0, handle))
        finalizer(sums -> freeridge_accumulator_destroy(sums.handle), new(handle[], d, t))
    end
end
Base.unsafe_convert(::Type{Ptr{freeridge_accumulator}}, sums::Accumulator) = sums.handle

function add!(sums::Accumulator, x, y)
    x, y = columns(x), columns(y)
    (size(x, 2), size(y)) == (sums.d, (size(x, 1), sums.t)) || throw(DimensionMismatch("x is not n x d, or y not n x t"))
    GC.@preserve x begin
        points = points_of(x)
        check(freeridge_accumulator_add(sums, points, FREERIDGE_COL_MAJOR, y, stride(y, 2), C_NULL))
    end
    sums
end

function score(sums::Accumulator, criterion, lambdas::Vector{Float64})
    scores = zeros(length(lambdas), sums.t)
    check(freeridge_accumulator_score(sums, criterion, length(lambdas), lambdas, scores, length(lambdas)))
    scores
end

# w, d x (count t), and b, t x count.
function solve(sums::Accumulator, lambdas::Vector{Float64})
    w, b = zeros(sums.d, length(lambdas) * sums.t), zeros(sums.t, length(lambdas))
    check(freeridge_accumulator_solve(sums, length(lambdas), lambdas, w, sums.d, b))
    w, b
end

# Of the whole process; 0: as it was before.
set_threads(count) = check(freeridge_set_threads(count))

end
