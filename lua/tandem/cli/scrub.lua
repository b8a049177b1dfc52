return { summary = "x placeholder", run = function() return 0 end }
