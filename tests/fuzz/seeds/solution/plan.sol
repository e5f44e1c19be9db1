Route #1: 1 0 2
Route #2 (type 1): 3
Cost 12.5
