# Pictures of the tests go nowhere: in scripts R would write them to Rplots.pdf, beside the tests.
options(device = function(...) grDevices::pdf(NULL))
