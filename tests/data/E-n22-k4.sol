Route #1: 9 7 5 2 1 6
Route #2: 10 8 3 4 11 13
Route #3: 16 19 21 14
Route #4: 17 20 18 15 12
Cost 375
